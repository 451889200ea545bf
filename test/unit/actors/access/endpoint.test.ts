// Goal: nothing is sent to an unverified URL, secrets are replaced without a gap, and an endpoint
// that does not answer, or whose grant has ended, is switched off. Method: its kind alone, no
// runtime.
import t from 'tap'
import { endpointKind } from '../../../../actors/access/endpoint/kind.ts'
import { webhookLimits as limits } from '../../../../proto/access/webhooks/webhook-limits.ts'
import {
  ann,
  dayMs,
  kindsOf,
  minuteMs,
  PlayedActor,
  reason,
  startMs,
} from '../../../helpers/access/actors/actor.ts'

const kind = endpointKind({ deliveries: undefined as never })
const url = 'https://hooks.example/in'
const secret = (id: string) =>
  ({ id, kind: 'hmac', sealed: `sealed ${id}`, hint: '', createdAtMs: startMs }) as const
const pinged = { deliveryId: 'dlv_1', eventType: 'webhook.ping', by: ann } as const

const pending = () =>
  new PlayedActor(kind, {
    ...{ id: 'whe_1', tenant: 'cli_1', by: ann, grantId: 'gr_1', needId: 'nd_1', url },
    ...{ description: '', events: ['contact.*'], payload: 'thin', ratePerSecond: 10 },
    secret: secret('first'),
  })
function active(): PlayedActor {
  const it = pending()
  it.say({ type: 'verified', url })
  return it
}

t.test('a new endpoint is pending, and a 2xx to its ping makes it active', async (t) => {
  const it = pending()
  t.match(it.view(), { status: 'pending', version: 1 })
  t.same(kindsOf(it.say({ type: 'ping', purpose: 'verify', ...pinged })), ['send_ping'])
  it.say({ type: 'verified', url: 'https://other.example/' })
  t.match(it.view(), { status: 'pending' }, 'the answer of another URL proves nothing')
  it.say({ type: 'verified', url })
  t.match(it.view(), { status: 'active', verifiedAtMs: it.atMs })
})

t.test('only the ping is sent to a pending endpoint', async (t) => {
  const it = pending()
  t.match(it.refusal({ type: 'ping', purpose: 'test', ...pinged }), { type: 'invalid_transition' })
  const replay = { type: 'replay', by: ann, sourceId: 'dlv_1', deliveryId: 'dlv_2' }
  t.match(it.refusal(replay), { type: 'invalid_transition' })
})

t.test('a new URL has to be verified again, other settings do not', async (t) => {
  const it = active()
  it.say({ type: 'update', by: ann, patch: { events: ['contact.created'] } })
  t.match(it.view(), { status: 'active', version: 3 })
  it.say({ type: 'update', by: ann, patch: { url: 'https://new.example/in' } })
  t.match(it.view(), { status: 'pending', statusReason: 'url_changed', verifiedAtMs: undefined })
  it.say({ type: 'verified', url })
  t.match(it.view(), { status: 'pending' })
})

t.test('five pings per minute are allowed, the sixth is refused', async (t) => {
  const it = pending()
  const ping = { type: 'ping', purpose: 'verify', ...pinged }
  for (let n = 0; n < limits.pingsPerWindow; n++) it.say(ping)
  t.match(it.refusal(ping), { type: 'rate_limited' })
  it.atMs += limits.pingWindowMs
  t.same(kindsOf(it.say(ping)), ['send_ping'])
})

t.test('two secrets are valid during the grace period of the old one', async (t) => {
  const it = active()
  it.say({ type: 'rotate', by: ann, secret: secret('second'), graceMs: minuteMs })
  const until = it.atMs + minuteMs
  t.match(it.view(), { secrets: [{ id: 'second' }, { id: 'first', expiresAtMs: until }] })
  it.say({ type: 'rotate', by: ann, secret: secret('third'), graceMs: minuteMs })
  t.match(it.view(), { secrets: [{ id: 'third' }, { id: 'second' }] })
  t.equal((it.view()['secrets'] as unknown[]).length, limits.secretsLive)
  it.say({ type: 'deadline.retire_secret' })
  t.equal((it.view()['secrets'] as unknown[]).length, 1)
  it.say({ type: 'rotate', by: ann, secret: secret('fourth'), graceMs: 0 })
  t.match(it.view(), { secrets: [{ id: 'fourth' }] })
  t.equal((it.view()['secrets'] as unknown[]).length, 1)
})

t.test('five days without a success switch it off; one success restarts the count', async (t) => {
  const it = active()
  it.atMs += dayMs
  it.say({ type: 'delivery_failed', atMs: it.atMs })
  const { failingSinceMs } = it.view()
  it.atMs += dayMs
  it.say({ type: 'delivery_failed', atMs: it.atMs })
  t.equal(it.view()['failingSinceMs'], failingSinceMs, 'since the first one')
  it.say({ type: 'delivery_succeeded', atMs: it.atMs })
  t.equal(it.view()['failingSinceMs'], undefined)
  it.atMs += dayMs
  it.say({ type: 'delivery_failed', atMs: it.atMs })
  it.say({ type: 'deadline.give_up' })
  t.match(it.view(), { status: 'disabled', statusReason: 'failing' })
})

t.test('health reports of workers make no version', async (t) => {
  const it = active()
  it.atMs += dayMs
  it.say({ type: 'delivery_failed', atMs: it.atMs })
  it.say({ type: 'delivery_succeeded', atMs: it.atMs })
  t.match(it.view(), { version: 2 })
})

t.test('a disabled endpoint is verified again before it is active', async (t) => {
  const it = active()
  it.say({ type: 'disable', by: ann, reason })
  t.match(it.view(), { status: 'disabled', statusReason: 'by_request', reason })
  it.say({ type: 'enable', by: ann })
  t.match(it.view(), { status: 'pending', statusReason: undefined })
})

t.test('a receiver that answers 410, or the end of its grant, switches it off', async (t) => {
  const gone = active()
  gone.say({ type: 'gone' })
  t.match(gone.view(), { status: 'disabled', statusReason: 'gone' })
  const over = active()
  over.say({ type: 'grant_ended' })
  t.match(over.view(), { status: 'disabled', statusReason: 'grant_ended' })
  t.match(over.refusal({ type: 'enable', by: ann }), { type: 'invalid_transition' })
  gone.say({ type: 'grant_ended' })
  t.match(gone.view(), { statusReason: 'grant_ended' }, 'of a disabled one too')
  t.match(gone.refusal({ type: 'enable', by: ann }), { type: 'invalid_transition' })
})

t.test('a removed endpoint keeps no secret and accepts no command', async (t) => {
  const it = active()
  it.say({ type: 'remove', by: ann })
  t.match(it.view(), { status: 'removed', secrets: [], endedAtMs: it.atMs })
  t.match(it.refusal({ type: 'enable', by: ann }), { type: 'not_found' })
  it.say({ type: 'delivery_succeeded', atMs: it.atMs })
  t.match(it.view(), { status: 'removed' })
})

t.test(
  'a resealed secret is the same secret, and a newer one is not overwritten by resealing it',
  async (t) => {
    const it = active()
    const { version } = it.view()
    const resealed = (was: string) => ({
      type: 'resealed',
      secrets: [{ id: 'first', was, sealed: 'sealed anew' }],
    })
    it.say(resealed('sealed by nobody'))
    t.match(it.view(), { secrets: [{ id: 'first', sealed: 'sealed first' }] })
    it.say(resealed('sealed first'))
    t.match(it.view(), { version, status: 'active', secrets: [{ sealed: 'sealed anew' }] })
    it.say({ type: 'rotate', by: ann, secret: secret('second'), graceMs: 0 })
    it.say(resealed('sealed anew'))
    t.match(it.view(), { secrets: [{ id: 'second', sealed: 'sealed second' }] })
  },
)
