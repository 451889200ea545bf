/**
 * Goal: a live-view token opens one session, in one mode, until it expires or its generation ends.
 */
import t from 'tap'
import { newId } from '../../../../proto/ids.ts'
import { liveToken, readLiveToken } from '../../../../gateway/sessions/tokens/live-token.ts'

const secret = 'of the service'
const target = { sessionId: newId('ses'), generation: 1 }
const nowMs = 1_700_000_000_000
const grant = { mode: 'view', keyId: '3f9c01ab77de', expiresAtMs: nowMs + 1 } as const
const token = liveToken(secret, target, grant)

t.test('it contains what it grants, until it expires', async (t) => {
  t.same(readLiveToken(token, secret, target, nowMs), grant)
  t.equal(readLiveToken(token, secret, target, nowMs + 1), undefined)
})

t.test('one without an expiry is valid as long as its session', async (t) => {
  const { mode, keyId } = grant
  const lasting = liveToken(secret, target, { mode, keyId })
  t.same(readLiveToken(lasting, secret, target, nowMs * 2), { mode, keyId })
})

t.test('one that works once says so, and is no other one', async (t) => {
  const frameAncestors = ['https://app.example', 'https://other.example']
  for (const more of [{}, { frameAncestors }]) {
    const once = { ...grant, ...more, once: 'n1' }
    const text = liveToken(secret, target, once)
    t.same(readLiveToken(text, secret, target, nowMs), once)
    t.not(text, liveToken(secret, target, { ...once, once: 'n2' }))
    const often = text.replace('view-once.', 'view.')
    t.equal(readLiveToken(often, secret, target, nowMs), undefined, 'it cannot be made to last')
  }
})

t.test('another session, another secret and every modification are refused', async (t) => {
  const [mode, keyId, expiry, mac] = token.split('.') as [string, string, string, string]
  const later = (nowMs + 1_000_000).toString(36)
  const wrong = [
    `control.${keyId}.${expiry}.${mac}`,
    `${mode}.dev.${expiry}.${mac}`,
    `${mode}.${keyId}.${later}.${mac}`,
    `${mode}.${keyId}.session.${mac}`,
    `${mode}.${keyId}.${expiry}.${mac.slice(1)}`,
    `${mode}.${keyId}.${expiry}`,
    `.${keyId}.${expiry}.${mac}`,
    'nonsense',
    '',
  ]
  for (const text of wrong) t.equal(readLiveToken(text, secret, target, nowMs), undefined, text)
  for (const other of [
    { ...target, sessionId: newId('ses') },
    { ...target, generation: 2 },
  ]) {
    t.equal(readLiveToken(token, secret, other, nowMs), undefined)
  }
  t.equal(readLiveToken(token, 'another', target, nowMs), undefined)
})
