/**
 * Somebody who reaches the service guesses keys and tokens: many of them, or letter by letter, by what
 * the answers say and how long a comparison takes. Method: a real service, asked with keys that are
 * nearly right; and the comparisons that readers of secrets make, counted, for time itself proves nothing.
 */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import t from 'tap'
import { newId } from '../../../proto/ids.ts'
import { keyMatches, sessionKey, sessionKeyOwner } from '../../../proto/accounts/key.ts'
import { readTaskToken, taskToken } from '../../../proto/task/task-token.ts'
import { signTicket, verifyTicket } from '../../../proto/browser-host/ticket.ts'
import { liveToken, readLiveToken } from '../../../gateway/sessions/tokens/live-token.ts'
import { readSessionToken, sessionToken } from '../../../gateway/sessions/tokens/session-token.ts'
import { startBystander } from '../../helpers/service/bystander.ts'
import { newKey } from '../../helpers/service/keys.ts'
import { restClient, startService, type ErrorJson } from '../../helpers/service/service.ts'
import { openSocket } from '../../helpers/lib/socket-fate.ts'
import { until } from '../../helpers/lib/until.ts'
import { routingLimits } from '../../../gateway/routing/limits.ts'

const service = await startService({ env: { POOL_HEADLESS: '0' } })
t.teardown(() => service.stop())
const beside = await startBystander(service)
const { text, rest } = await newKey(service, 'guessed')

const other = (letter: string) => (letter === 'a' ? 'b' : 'a')
/** Wrong in its first letter behind `from`, in its middle, in its last one; too short, too long. */
function nearly(secret: string, from: number): readonly string[] {
  const at = (place: number) =>
    secret.slice(0, place) + other(secret[place]!) + secret.slice(place + 1)
  const middle = Math.floor((from + secret.length) / 2)
  return [at(from), at(middle), at(secret.length - 1), secret.slice(0, -1), `${secret}a`]
}

t.test('every wrong key is answered the same, and after many of them another way', async (t) => {
  const [, id = ''] = text.split('_')
  const prefix = text.indexOf(id) + id.length + 1
  const unknown = text.replace(id, id.replace(/./g, other))
  const wrong = [...nearly(text, prefix), unknown, text.toUpperCase(), id, 'x', '{}', '__proto__']
  const said = async (key: string) => {
    const { status, body } = await restClient(service.baseUrl, key)<{ error: ErrorJson }>(
      'GET',
      '/v1/sessions',
    )
    return `${status} ${body.error.message}`
  }
  t.same(new Set(await Promise.all(wrong.map(said))).size, 1)
  // Some are forgotten as time passes, so many come at once, and again if need be.
  const many = <T>(one: () => Promise<T>) =>
    Promise.all(Array.from({ length: routingLimits.wrongKeysPerMinute }, one))
  await until('they are slowed', async () => {
    const answers = await many(() => said(unknown))
    return answers.some((answer) => /^429 Too many wrong keys/.test(answer))
  })
  const ws = service.baseUrl.replace('http', 'ws')
  for (const key of ['tss_x', 'tst_x', unknown]) {
    const url = `${ws}/?apiKey=${key}&sessionId=${newId('ses')}`
    await until(`sockets with ${key} are slowed`, async () => {
      const sockets = await many(() => openSocket(url))
      return sockets.some(({ status }) => status === 429)
    })
  }
  t.equal((await rest('GET', '/v1/sessions')).status, 200, 'a right one is taken all the same')
})

/** The lengths that the constant-time comparison was called with. */
const compared: string[] = []
const { timingSafeEqual } = crypto
t.before(() => {
  crypto.timingSafeEqual = (a, b) => {
    compared.push(`${a.byteLength} with ${b.byteLength}`)
    return timingSafeEqual(a, b)
  }
  syncBuiltinESMExports()
})
t.teardown(() => {
  crypto.timingSafeEqual = timingSafeEqual
  syncBuiltinESMExports()
})

const secret = 'of the service'
const [sessionId, keyId, nowMs] = [newId('ses'), '3f9c01ab77de', 1_700_000_000_000]
const target = { sessionId, generation: 1 }
const expiresAtMs = nowMs + 1
const task = { taskId: newId('tsk'), sessionId, epoch: 1, expiresAtMs }
const ticket = { sessionId, kind: 'cdp', epoch: 1, expiresAtMs, nonce: 'n' } as const
const record = { secretHash: crypto.createHash('sha256').update('the secret').digest('hex') }
const ofKey = record as Parameters<typeof keyMatches>[0]

type Reader = readonly [right: string, read: (text: string) => unknown]
const readers: Readonly<Record<string, Reader>> = {
  'a key': ['the secret', (text) => keyMatches(ofKey, text) || undefined],
  'the key of a session': [
    sessionKey(secret, sessionId, keyId),
    (text) => sessionKeyOwner(text, secret, sessionId),
  ],
  'a link to the live view': [
    liveToken(secret, target, { mode: 'view', keyId, expiresAtMs }),
    (text) => readLiveToken(text, secret, target, nowMs),
  ],
  'a token of a session': [
    sessionToken(secret, target, { scopes: ['cdp'], keyId, expiresAtMs }),
    (text) => readSessionToken(text, secret, target, nowMs),
  ],
  'the token of an agent': [taskToken(secret, task), (text) => readTaskToken(text, secret, nowMs)],
  'a ticket of the data port': [
    signTicket(ticket, secret),
    (text) => verifyTicket(text, secret, nowMs),
  ],
}

for (const [name, [right, read]] of Object.entries(readers)) {
  t.test(`${name} is compared as a whole, wherever it is wrong`, async (t) => {
    const countOf = (text: string) => {
      compared.length = 0
      const isRead = read(text) !== undefined
      return { isRead, compared: [...compared] }
    }
    const good = countOf(right)
    t.ok(good.isRead)
    t.equal(good.compared.length, 1)
    const mac = Math.max(right.lastIndexOf('.'), right.lastIndexOf('_')) + 1
    const [first, middle, last, short, long] = nearly(right, mac).map(countOf)
    for (const wrong of [first, middle, last]) t.same(wrong, { ...good, isRead: false })
    for (const wrong of [short, long]) t.equal(wrong!.isRead, false)
  })
}

t.test('the session of somebody else has noticed nothing', (t) => beside.assertUndisturbed(t))
