// Goal: who follows a bucket ends up with what it has, also after the store has lost its last changes
// and after an absence in which markers of deletions were removed. Method: a map on an in-memory
// bucket whose watch can be made deaf, unsure or unavailable, on a simulated clock.
import t from 'tap'
import {
  StoreRolledBack,
  StoreUnavailable,
  type Bucket,
  type BucketChange,
} from '../../../../runtime/store/store.ts'
import { storeLimits } from '../../../../runtime/store/limits.ts'
import { WatchedMap } from '../../../../runtime/store/watched-map.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()
const value = (word: string) => Buffer.from(word)

async function stage() {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'any')
  const store = { bucket: new MemoryStore().bucket('b') }
  const set = { isDeaf: false, isAway: false, isBehind: false }
  let watches = 0
  const bucket = {
    async watch(tell: (change: BucketChange) => void) {
      if (set.isAway) throw new StoreUnavailable('away')
      watches++
      set.isDeaf = false
      const watch = await store.bucket.watch((change) => set.isDeaf || tell(change))
      const confirm = async () => {
        if (set.isAway) throw new StoreUnavailable('away')
        if (set.isBehind) throw new StoreRolledBack('b')
        await watch.confirm()
      }
      return { stop: () => watch.stop(), confirm }
    },
  } as unknown as Bucket
  await store.bucket.put('stays', value('1'))
  await store.bucket.put('goes', value('1'))
  const map = await WatchedMap.open(bucket, text, clock)
  const told: unknown[] = []
  map.onChange((key, now) => void told.push([key, now]))
  return {
    ...{ store, set, map, told },
    watches: () => watches,
    content: () => [...map.entries()].toSorted(),
    later: (ms: number) =>
      timeline.until(new Promise((done) => clock.timer(ms, () => done(0))), ms + 1_000),
  }
}

t.test('nothing is read again while the watch is confirmed', async (t) => {
  const { map, watches, later } = await stage()
  await later(3 * storeLimits.watchTrustedMs)
  t.equal(watches(), 1)
  map.stop()
})

t.test('a store that lost its last changes is read again, and told as it is now', async (t) => {
  const { store, set, map, told, content } = await stage()
  await store.bucket.put('stays', value('2'))
  await map.check()
  store.bucket = new MemoryStore().bucket('b')
  await store.bucket.put('stays', value('1'))
  set.isBehind = true
  await map.check()
  t.equal(map.get('stays'), '2', 'once may be a server that is behind')
  await map.check()
  t.same(content(), [['stays', '1']])
  t.same(told, [
    ['stays', '2'],
    ['stays', '1'],
    ['goes', undefined],
  ])
  map.stop()
})

t.test('after a long absence everything is read, so that no deletion is missed', async (t) => {
  const { store, set, map, content, watches, later } = await stage()
  set.isDeaf = true
  set.isAway = true
  await store.bucket.delete('goes')
  await store.bucket.put('comes', value('1'))
  await later(storeLimits.watchTrustedMs + 2 * storeLimits.watchedMapCheckMs)
  t.same(content(), [
    ['goes', '1'],
    ['stays', '1'],
  ])
  set.isAway = false
  await map.check()
  t.same(content(), [
    ['comes', '1'],
    ['stays', '1'],
  ])
  t.equal(watches(), 2)
  map.stop()
})
