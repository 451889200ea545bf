/**
 * Goal: the last use of a key is recorded to the minute, with one write a minute at most, and never
 * undoes a revocation. Method: gateways that share a store in memory, on a clock of the test.
 */
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { decode } from '../../../../proto/codec.ts'
import type { KeyRecord } from '../../../../proto/accounts/key.ts'
import { buckets } from '../../../../proto/subjects.ts'
import { KeyUses } from '../../../../runtime/accounts/keys/key-uses.ts'
import { createKey, recordKeyUse, revokeKey } from '../../../../runtime/accounts/keys/keys.ts'
import type { Bucket } from '../../../../runtime/store/store.ts'
import { WatchedMap } from '../../../../runtime/store/watched-map.ts'
import { until } from '../../../helpers/lib/until.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'

const minuteMs = 60_000

async function stage(t: Test) {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'gateway')
  const keyBucket = new MemoryStore().bucket(buckets.keys)
  const warnings: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) })
  const gateway = async (bucket = keyBucket) => {
    const keys = await WatchedMap.open<KeyRecord>(keyBucket, (bytes) => decode(bytes), clock, log)
    t.teardown(() => keys.stop())
    return { keys, uses: new KeyUses({ keyBucket: bucket, keys, clock, log }) }
  }
  const { record } = await createKey(keyBucket, { tenant: 'acme', name: 'ci' }, clock.now())
  const entry = async () => {
    const found = (await keyBucket.get(record.id))!
    return { ...decode<KeyRecord>(found.value), revision: found.revision }
  }
  return { timeline, clock, keyBucket, warnings, gateway, id: record.id, entry }
}

t.test('one write a minute, whichever gateways it is used at', async (t) => {
  const { timeline, clock, gateway, id, entry } = await stage(t)
  const [one, other] = [await gateway(), await gateway()]
  const { revision } = await entry()
  const first = clock.now()
  for (let use = 0; use < 100; use++) one.uses.note(id)
  await until('it is recorded', async () => (await entry()).lastUsedAtMs === first)
  await until('the other knows', () => other.keys.get(id)?.lastUsedAtMs === first)
  await timeline.run(minuteMs - 1)
  other.uses.note(id)
  one.uses.note(id)
  t.match(await entry(), { lastUsedAtMs: first, revision: revision + 1 })
  await timeline.run(1)
  other.uses.note(id)
  await until('the next minute is', async () => (await entry()).lastUsedAtMs === first + minuteMs)
})

t.test('a use never undoes a revocation, and a revocation waits for no use', async (t) => {
  const { clock, keyBucket, id, entry } = await stage(t)
  await Promise.all([
    recordKeyUse(keyBucket, id, clock.now() + 1),
    revokeKey(keyBucket, id, clock.now()),
    recordKeyUse(keyBucket, id, clock.now() + 2),
  ])
  t.equal((await entry()).revokedAtMs, clock.now())
})

t.test('a use that the store refuses is logged once a minute', async (t) => {
  const { gateway, keyBucket, warnings, id } = await stage(t)
  // Its other methods are not asked.
  const full = {
    get: (key: string) => keyBucket.get(key),
    update: () => Promise.reject(new Error('the store is full')),
  } as Partial<Bucket> as Bucket
  const { uses } = await gateway(full)
  for (let use = 0; use < 10; use++) uses.note(id)
  uses.note('dev')
  await until('it is logged', () => warnings.length > 0)
  t.equal(warnings.length, 1)
  t.match(JSON.parse(warnings[0]!), {
    ...{ keyId: id, msg: 'keys: a use was not recorded' },
    err: { message: 'the store is full' },
  })
})
