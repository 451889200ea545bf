/**
 * Goal: a delivery is attempted by its schedule, no attempt number is used twice, and a dead
 * receiver or a busy client delays no one else. Method: the pure parts alone.
 */
import fc from 'fast-check'
import t from 'tap'
import { isDeliveryOpen, type Delivery } from '../../../../proto/access/webhooks/delivery.ts'
import { webhookLimits as limits } from '../../../../proto/access/webhooks/webhook-limits.ts'
import {
  cancelDelivery,
  claimDelivery,
  interruptAttempt,
  settleAttempt,
} from '../../../../runtime/webhooks/delivery/fold.ts'
import { deliveryIdOf, eventIdOf, newDelivery } from '../../../../runtime/webhooks/delivery/make.ts'
import { DueQueue, type DueDelivery } from '../../../../runtime/webhooks/worker/queue.ts'

const startMs = Date.UTC(2030, 0, 1)
const endpoint = { id: 'whe_1', tenant: 'cli_1', grantId: 'gr_1' } as const
const event = {
  ...{ id: 'evt_1', type: 'contact.created', atMs: startMs },
  object: { area: 'contacts', id: 'con_1', version: 1 },
} as const
const fresh = (trigger: Delivery['trigger'] = 'event') =>
  newDelivery(endpoint, { id: 'dlv_1', event, trigger, nowMs: startMs })
const failing = { durationMs: 5, statusCode: 500, error: 'status' } as const

const hourMs = 3_600_000

t.test('ten attempts over three days, then it is exhausted', async (t) => {
  let delivery = fresh()
  const waits: number[] = []
  let nowMs = startMs
  while (isDeliveryOpen(delivery)) {
    delivery = claimDelivery(delivery, 'host', nowMs)
    t.equal(delivery.nextAttemptAtMs, undefined)
    delivery = settleAttempt(delivery, failing, nowMs, 0.5)
    if (delivery.nextAttemptAtMs === undefined) break
    waits.push(delivery.nextAttemptAtMs - nowMs)
    nowMs = delivery.nextAttemptAtMs
  }
  t.equal(delivery.status, 'exhausted')
  t.same(waits, limits.scheduleMs.slice(1))
  t.same(
    delivery.attempts.map(({ n }) => n),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  )
  t.ok(nowMs - startMs > 75 * hourMs && nowMs - startMs < 76 * hourMs)
})

t.test('delays vary randomly by a fifth in both directions', async (t) => {
  const wait = (random: number) =>
    settleAttempt(claimDelivery(fresh(), 'h', startMs), failing, startMs, random).nextAttemptAtMs! -
    startMs
  t.same([wait(0), wait(0.5), wait(1)], [4_000, 5_000, 6_000])
})

t.test('a receiver’s Retry-After is respected, up to a day', async (t) => {
  const asked = (retryAfterMs: number) =>
    settleAttempt(claimDelivery(fresh(), 'h', startMs), { ...failing, retryAfterMs }, startMs, 0.5)
  t.equal(asked(hourMs).nextAttemptAtMs, startMs + hourMs)
  t.equal(asked(1).nextAttemptAtMs, startMs + 5_000, 'but not less than its turn')
  t.equal(asked(1_000 * hourMs).nextAttemptAtMs, startMs + 24 * hourMs)
})

t.test('an internal address is not retried, nor is a ping', async (t) => {
  const blocked = { durationMs: 0, error: 'blocked_address' } as const
  t.equal(
    settleAttempt(claimDelivery(fresh(), 'h', startMs), blocked, startMs, 0).status,
    'exhausted',
  )
  for (const trigger of ['test', 'verify'] as const) {
    t.equal(settleAttempt(claimDelivery(fresh(trigger), 'h', 0), failing, 0, 0).status, 'exhausted')
  }
})

t.test('an attempt whose host died counts, and another follows at once', async (t) => {
  const lost = interruptAttempt(claimDelivery(fresh(), 'h', startMs), startMs + 1_000)
  t.match(lost, { status: 'retrying', nextAttemptAtMs: startMs + 1_000, attempt: 1 })
  t.match(lost.attempts, [{ n: 1, error: 'interrupted' }])
})

t.test('whatever happens to it, attempts are numbered once each and in order', async () => {
  const step = fc.constantFrom('ok', 'fail', 'die', 'cancel')
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      let delivery = fresh()
      for (const [i, what] of steps.entries()) {
        if (!isDeliveryOpen(delivery)) break
        if (what === 'cancel') delivery = cancelDelivery(delivery, 'endpoint_disabled', i)
        else {
          const sending = claimDelivery(delivery, 'h', i)
          if (what === 'die') delivery = interruptAttempt(sending, i)
          else
            delivery = settleAttempt(
              sending,
              what === 'ok' ? { durationMs: 0, statusCode: 200 } : failing,
              i,
              0,
            )
        }
      }
      const numbers = delivery.attempts.map(({ n }) => n)
      return numbers.every((n, i) => n === i + 1) && numbers.length <= 10
    }),
  )
})

t.test('an event and its delivery have the same ids whoever makes them', async (t) => {
  const id = eventIdOf('$KV.records.x 7', 'contact.created', startMs)
  t.equal(id, eventIdOf('$KV.records.x 7', 'contact.created', startMs))
  t.not(id, eventIdOf('$KV.records.x 8', 'contact.created', startMs))
  t.not(id, eventIdOf('$KV.records.x 7', 'contact.updated', startMs))
  t.match(id, /^evt_[0-9a-hjkmnp-tv-z]{26}$/)
  t.not(deliveryIdOf(id, 'whe_1', startMs), deliveryIdOf(id, 'whe_2', startMs))
  t.ok(eventIdOf('x', 'y', startMs) < eventIdOf('a', 'b', startMs + 1), 'and sort by time')
})

const due = (id: string, lane: string, tenant = lane, dueMs = 0): DueDelivery => ({
  id,
  lane,
  tenant,
  dueMs,
})

t.test('an endpoint gets a few at once, by its rate, and a burst of a second', async (t) => {
  const queue = new DueQueue({ rateOf: () => 2 })
  for (let i = 0; i < 10; i++) queue.add(due(`${i}`, 'a'))
  const first = queue.take(1_000)
  t.equal(first.length, 2)
  t.equal(queue.nextMs(1_000), 1_500)
  t.equal(queue.take(1_400).length, 0)
  t.same(
    queue.take(1_500).map(({ id }) => id),
    ['2'],
  )
  t.equal(queue.take(2_000).length, 1)
  t.equal(queue.take(60_000).length, 0, 'four are under way')
  t.equal(queue.nextMs(60_000), undefined, 'and only their end makes room')
  for (const one of first) queue.done(one)
  t.equal(queue.take(60_000).length, 2)
})

t.test('dead endpoints delay no one, and one client has a quarter of all', async (t) => {
  const queue = new DueQueue({ rateOf: () => 1_000, sendingAtOnce: 16 })
  for (let i = 0; i < 100; i++) {
    for (const lane of ['dead1', 'dead2', 'dead3']) queue.add(due(`${lane}.${i}`, lane, 'flood'))
  }
  t.equal(queue.take(1_000).length, 4, 'a quarter, though more are due')
  queue.add(due('one', 'alive', 'other'))
  t.same(
    queue.take(1_001).map(({ id }) => id),
    ['one'],
  )
})

t.test('an overloaded endpoint is sent half as much for a while', async (t) => {
  const queue = new DueQueue({ rateOf: () => 2 })
  for (let i = 0; i < 3; i++) queue.add(due(`${i}`, 'a'))
  for (const one of queue.take(1_000)) queue.done(one)
  queue.slow('a', 1_000)
  t.equal(queue.nextMs(1_000), 2_000)
  const laterMs = 1_000 + limits.slowedMs
  t.ok(queue.nextMs(laterMs)! <= laterMs, 'and in full again after that')
})

t.test('the earliest due goes first', async (t) => {
  const queue = new DueQueue({ rateOf: () => 50 })
  queue.add(due('late', 'a', 'a', 30))
  queue.add(due('early', 'a', 'a', 10))
  queue.add(due('middle', 'a', 'a', 20))
  t.same(
    queue.take(25).map(({ id }) => id),
    ['early', 'middle'],
  )
  t.equal(queue.nextMs(25), 30)
})
