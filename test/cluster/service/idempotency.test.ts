/**
 * Goal: with a real store and two gateways, simultaneous requests with one Idempotency-Key make one
 * session; either gateway gives the stored answer; stored answers expire.
 */
import t from 'tap'
import { limits } from '../../../proto/limits.ts'
import { buckets } from '../../../proto/subjects.ts'
import { bucketStream } from '../../../runtime/store/nats/stream-plan.ts'
import { playedView, playService } from '../../helpers/gateway/gateway.ts'
import { startNats } from '../../helpers/nats/nats.ts'

const nats = await startNats(t)
/** A store connection of its own, as each gateway has one. */
const open = async () => (await nats.store()).bucket(buckets.idempotency)

t.test('many simultaneous requests to two gateways make one session', async (t) => {
  const made: string[] = []
  const create = async (input: { readonly id: string }) => {
    made.push(input.id)
    return { view: { ...playedView(input.id), ...input } }
  }
  const gateways = [
    await playService({ idempotency: await open(), create }),
    await playService({ idempotency: await open(), create }),
  ]
  t.teardown(() => Promise.all(gateways.map((each) => each.close())))
  const post = async (n: number, key: string) => {
    const answer = await fetch(`${gateways[n % 2]!.gateway.url}/v1/sessions`, {
      method: 'POST',
      headers: { 'service-api-key': 'dev-local-key', 'idempotency-key': key },
    })
    const { data, error } = (await answer.json()) as {
      data?: { id: string }
      error?: { type: string }
    }
    return { id: data?.id, type: error?.type }
  }
  for (let round = 1; round <= 20; round++) {
    const key = `round-${round}`
    const answers = await Promise.all(Array.from({ length: 6 }, (_, n) => post(n, key)))
    t.equal(made.length, round)
    for (const { id, type } of answers) {
      if (id === undefined) t.equal(type, 'idempotency_in_progress')
      else t.equal(id, made.at(-1))
    }
    t.ok(answers.some(({ id }) => id !== undefined))
    for (const n of [0, 1]) t.equal((await post(n, key)).id, made.at(-1), 'either knows it')
  }
})

t.test('records have a bounded share of the store, and expire after a day', async (t) => {
  const jsm = await (await nats.connect()).jetstreamManager()
  const { config } = await jsm.streams.info(bucketStream(buckets.idempotency))
  t.equal(config.max_age, limits.idempotencyKeptMs * 1_000_000)
  t.equal(config.discard, 'new', 'none goes early')
  t.ok(config.max_bytes > 0)
})
