/** Goal: a token opens its parts of one session until it expires, and cannot be used as a link. */
import t from 'tap'
import { liveToken, readLiveToken } from '../../../../gateway/sessions/tokens/live-token.ts'
import {
  readSessionToken,
  sessionToken,
} from '../../../../gateway/sessions/tokens/session-token.ts'
import { newId } from '../../../../proto/ids.ts'

const secret = 'of the service'
const target = { sessionId: newId('ses'), generation: 1 }
const nowMs = 1_700_000_000_000
const grant = { scopes: ['cdp', 'files'], keyId: '3f9c01ab77de', expiresAtMs: nowMs + 1 } as const
const token = sessionToken(secret, target, grant)

t.test('it contains what it opens, until it expires', async (t) => {
  t.same(readSessionToken(token, secret, target, nowMs), grant)
  t.equal(readSessionToken(token, secret, target, nowMs + 1), undefined)
})

t.test('other tokens are not accepted in its place, nor it in theirs', async (t) => {
  const [word, keyId, expiry, mac] = token.slice('tst_'.length).split('.') as string[]
  const live = liveToken(secret, target, { mode: 'control', keyId: keyId! })
  for (const text of [
    `tst_cdp-control-view-files.${keyId}.${expiry}.${mac}`,
    `tst_${word}.dev.${expiry}.${mac}`,
    `tst_${word}.${keyId}.session.${mac}`,
    `tst_${live}`,
    live,
    token.slice('tst_'.length),
    'tst_',
    '',
  ]) {
    t.equal(readSessionToken(text, secret, target, nowMs), undefined, text)
  }
  t.equal(readLiveToken(token.slice('tst_'.length), secret, target, nowMs), undefined)
  const others = [
    { ...target, sessionId: newId('ses') },
    { ...target, generation: 2 },
  ]
  for (const other of others) t.equal(readSessionToken(token, secret, other, nowMs), undefined)
  t.equal(readSessionToken(token, 'another', target, nowMs), undefined)
})
