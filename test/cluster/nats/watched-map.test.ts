// Goal: a WatchedMap ends up equal to its bucket, whatever its watch missed, and never goes back to
// an older value.
import t from 'tap'
import { buckets } from '../../../proto/subjects.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import type { Bucket, BucketChange } from '../../../runtime/store/store.ts'
import { WatchedMap } from '../../../runtime/store/watched-map.ts'
import { startNats } from '../../helpers/nats/nats.ts'
import { until } from '../../helpers/lib/until.ts'

const nats = await startNats(t)
const decode = (bytes: Uint8Array) => Buffer.from(bytes).toString()

t.test('it holds the existing values, and follows changes', async (t) => {
  const bucket = (await nats.store()).bucket(buckets.keys)
  await bucket.put('a', Buffer.from('1'))
  await bucket.put('gone', Buffer.from('1'))
  await bucket.delete('gone')
  const map = await WatchedMap.open(bucket, decode, systemClock)
  t.teardown(() => map.stop())
  t.same([...map.entries()], [['a', '1']])
  const told: unknown[] = []
  const forget = map.onChange((key, value) => told.push([key, value]))
  await bucket.put('a', Buffer.from('2'))
  await bucket.put('b', Buffer.from('1'))
  await bucket.delete('a')
  await until('the deletion', () => map.get('a') === undefined)
  t.same(told, [
    ['a', '2'],
    ['b', '1'],
    ['a', undefined],
  ])
  forget()
  await bucket.delete('b')
  await until('the deletion', () => map.size === 0)
  t.equal(told.length, 3)
})

t.test('a comparison with the bucket repairs what the watch missed', async (t) => {
  const bucket = (await nats.store()).bucket(buckets.views)
  await bucket.put('stays', Buffer.from('1'))
  await bucket.put('goes', Buffer.from('1'))
  const { map, tell } = await deafMap(bucket)
  t.teardown(() => map.stop())
  const revision = await bucket.put('stays', Buffer.from('2'))
  await bucket.put('comes', Buffer.from('1'))
  await bucket.delete('goes')
  t.same([...map.entries()].toSorted(), [
    ['goes', '1'],
    ['stays', '1'],
  ])
  await map.check()
  t.same([...map.entries()].toSorted(), [
    ['comes', '1'],
    ['stays', '2'],
  ])
  tell({ type: 'put', key: 'stays', value: Buffer.from('old'), revision: revision - 1 })
  t.equal(map.get('stays'), '2', 'an older revision changes nothing')
})

t.test('a value deleted while a comparison reads does not come back', async (t) => {
  const bucket = (await nats.store()).bucket(buckets.owners)
  const revision = await bucket.put('a', Buffer.from('1'))
  const { map, tell } = await deafMap(bucket)
  t.teardown(() => map.stop())
  const checking = map.check()
  tell({ type: 'delete', key: 'a', revision: revision + 1 })
  await checking
  t.equal(map.get('a'), undefined)
})

/** A map whose watch reports the existing values and then only what the test sends. */
async function deafMap(bucket: Bucket) {
  let tell: (change: BucketChange) => void = () => undefined
  const deaf: Bucket = {
    ...bucket,
    scan: () => bucket.scan(),
    async watch(onChange) {
      for (const entry of await bucket.entries()) onChange({ type: 'put', ...entry })
      tell = onChange
      return { stop: () => undefined, confirm: async () => undefined }
    },
  }
  const map = await WatchedMap.open(deaf, decode, systemClock)
  return { map, tell }
}
