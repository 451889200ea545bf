// Goal: the in-memory store keeps the promises of runtime/store/store.ts that everything else is built
// on.
import t from 'tap'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import { entriesOf } from '../../../../runtime/store/entries-of.ts'
import { StoreConflict, type BucketChange } from '../../../../runtime/store/store.ts'

const bytes = (value: number) => Uint8Array.of(value)

t.test(
  'an append needs the last sequence of its subject, which counts over the whole stream',
  async (t) => {
    const { log } = new MemoryStore()
    t.equal(await log.append('a', bytes(1), 0), 1)
    t.equal(await log.append('b', bytes(2), 0), 2)
    await t.rejects(log.append('a', bytes(3), 0), StoreConflict)
    await t.rejects(log.append('a', bytes(3), 2), StoreConflict)
    t.equal(await log.append('a', bytes(3), 1), 3)
    t.strictSame(await log.last('a'), { subject: 'a', seq: 3, data: bytes(3) })
  },
)

t.test('of many writers with the same expected sequence, one wins', async (t) => {
  const { log } = new MemoryStore()
  const tries = Array.from({ length: 8 }, (_, i) => log.append('a', bytes(i), 0))
  const results = await Promise.allSettled(tries)
  t.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
})

t.test('a subject is read from a sequence on; after a purge it is like new', async (t) => {
  const { log } = new MemoryStore()
  let seq = 0
  for (const value of [1, 2, 3]) seq = await log.append('a', bytes(value), seq)
  const read: number[] = []
  for await (const record of log.read('a', 2)) read.push(record.data[0]!)
  t.strictSame(read, [2, 3])
  await log.purge('a')
  t.equal(await log.last('a'), undefined)
  t.equal(await log.append('a', bytes(4), 0), 4)
})

t.test('stored data does not change with the buffer it came from', async (t) => {
  const { log } = new MemoryStore()
  const data = bytes(1)
  await log.append('a', data, 0)
  data[0] = 9
  t.strictSame((await log.last('a'))?.data, bytes(1))
})

t.test('a bucket changes by compare-and-set only, also after a deletion', async (t) => {
  const bucket = new MemoryStore().bucket('b')
  const first = await bucket.create('k', bytes(1))
  await t.rejects(bucket.create('k', bytes(2)), StoreConflict)
  const second = await bucket.update('k', bytes(2), first)
  await t.rejects(bucket.update('k', bytes(3), first), StoreConflict)
  await bucket.delete('k')
  await bucket.delete('k')
  t.equal(await bucket.get('k'), undefined)
  await t.rejects(bucket.update('k', bytes(3), second), StoreConflict)
  const third = await bucket.create('k', bytes(3))
  t.ok(third > second)
  t.strictSame(await entriesOf(bucket), [{ key: 'k', value: bytes(3), revision: third }])
})

t.test('one store has one bucket per name', async (t) => {
  const store = new MemoryStore()
  await store.bucket('b').put('k', bytes(1))
  t.ok(await store.bucket('b').get('k'))
  t.notOk(await store.bucket('c').get('k'))
})

t.test('a watch reports existing values, then changes in order, until stopped', async (t) => {
  const bucket = new MemoryStore().bucket('b')
  await bucket.put('k', bytes(1))
  const seen: BucketChange[] = []
  const watch = await bucket.watch((change) => seen.push(change))
  t.strictSame(seen, [{ type: 'put', key: 'k', value: bytes(1), revision: 1 }])
  await bucket.put('k', bytes(2))
  await bucket.delete('k')
  t.strictSame(seen.slice(1), [
    { type: 'put', key: 'k', value: bytes(2), revision: 2 },
    { type: 'delete', key: 'k', revision: 3 },
  ])
  watch.stop()
  await bucket.put('k', bytes(4))
  t.equal(seen.length, 3)
})
