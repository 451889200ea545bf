/** Goal: a live-view token opens one session, in one mode, until its time is over. */
import t from 'tap'
import { newId } from '../../proto/ids.ts'
import { liveToken, readLiveToken } from '../../gateway/live-token.ts'

const secret = 'of the service'
const sessionId = newId('ses')
const nowMs = 1_700_000_000_000
const grant = { mode: 'view', expiresAtMs: nowMs + 1 } as const
const token = liveToken(secret, sessionId, grant)

t.test('it says what it grants, until it is too old', async (t) => {
  t.same(readLiveToken(token, secret, sessionId, nowMs), grant)
  t.equal(readLiveToken(token, secret, sessionId, nowMs + 1), undefined)
})

t.test('another session, another secret and every altered part are refused', async (t) => {
  const [mode, expiry, mac] = token.split('.') as [string, string, string]
  const later = (nowMs + 1_000_000).toString(36)
  const wrong = [
    `control.${expiry}.${mac}`,
    `${mode}.${later}.${mac}`,
    `${mode}.${expiry}.${mac.slice(1)}`,
    `${mode}.${expiry}`,
    `.${expiry}.${mac}`,
    'nonsense',
    '',
  ]
  for (const text of wrong) t.equal(readLiveToken(text, secret, sessionId, nowMs), undefined, text)
  t.equal(readLiveToken(token, secret, newId('ses'), nowMs), undefined)
  t.equal(readLiveToken(token, 'another', sessionId, nowMs), undefined)
})
