// Goal: a WatchedMap is equal to its bucket, whatever its connection lost, and after the store has
// lost its last changes.
import t from 'tap'
import { buckets } from '../../../proto/subjects.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { WatchedMap } from '../../../runtime/store/watched-map.ts'
import { throughProxy } from '../../helpers/nats/nats-proxy.ts'
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

t.test('a map that was cut off has every change when it is confirmed', async (t) => {
  const direct = (await nats.store()).bucket(buckets.owners)
  await direct.put('stays', Buffer.from('1'))
  await direct.put('goes', Buffer.from('1'))
  const { proxy, store } = await throughProxy(t, nats)
  const bucket = store.bucket(buckets.owners)
  const map = await WatchedMap.open(bucket, decode, systemClock)
  t.teardown(() => map.stop())
  proxy.cut()
  await direct.put('stays', Buffer.from('2'))
  await direct.put('comes', Buffer.from('1'))
  await direct.delete('goes')
  await map.check()
  t.equal(map.get('stays'), '1', 'a store that does not answer confirms nothing')
  proxy.mend()
  await until('it has them', async () => {
    await map.check()
    return map.get('stays') === '2'
  })
  t.same([...map.entries()].toSorted(), [
    ['comes', '1'],
    ['stays', '2'],
  ])
})
