// Goal: a gateway reads its own writes, never goes back to an older revision, and holds a bounded
// number of bytes however many clients there are.
import t from 'tap'
import { newAccessId, type ClientId } from '../../../../proto/access/ids.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import type { Bucket } from '../../../../runtime/store/store.ts'
import { accessTo, query, recordsOn, refusal } from '../../../helpers/access/actors/records.ts'

const titles = (list: { readonly data: readonly Readonly<Record<string, unknown>>[] }) =>
  list.data.map(({ title }) => title)

async function fill(bucket: Bucket, clients: number, each: number): Promise<ClientId[]> {
  const { records, indexes } = recordsOn(bucket)
  const ids = Array.from({ length: clients }, () => newAccessId('client'))
  for (const client of ids) {
    for (let i = 0; i < each; i++) {
      const title = `task ${i} of ${client}`
      await records.create(accessTo(client), 'tasks', { title, body: 'x'.repeat(500) })
    }
  }
  indexes.stop()
  return ids
}

t.test('the index stays below its limit in bytes, and every client is still served', async (t) => {
  const bucket = new MemoryStore().bucket('records')
  const clients = await fill(bucket, 12, 300)
  const bounds = { recordIndexBytes: 700_000, recordValuesHeldBytes: 100_000 }
  const { records, indexes } = recordsOn(bucket, bounds)
  t.teardown(() => indexes.stop())
  for (const round of [1, 2]) {
    for (const client of clients) {
      const list = await records.list(accessTo(client), 'tasks', query({ limit: '100' }))
      t.equal(list.data.length, 100)
      t.ok(titles(list).every((title) => String(title).endsWith(client)))
      const { bytes, valueBytes } = indexes.figures
      t.ok(bytes <= bounds.recordIndexBytes, `${bytes} bytes of rows in round ${round}`)
      t.ok(valueBytes <= bounds.recordValuesHeldBytes, `${valueBytes} bytes of values`)
    }
  }
  t.ok(indexes.figures.clients < clients.length)
  t.ok(indexes.figures.clients > 1)
})

t.test(
  'a client dropped from the index gets no more updates, and is reloaded with all changes',
  async (t) => {
    const bucket = new MemoryStore().bucket('records')
    const [first, second] = await fill(bucket, 2, 300)
    const { records, indexes } = recordsOn(bucket, { recordIndexBytes: 200_000 })
    t.teardown(() => indexes.stop())
    await records.list(accessTo(first!), 'tasks', query())
    await records.list(accessTo(second!), 'tasks', query())
    t.equal(indexes.figures.clients, 1)
    const elsewhere = recordsOn(bucket)
    t.teardown(() => elsewhere.indexes.stop())
    elsewhere.nowMs++
    await elsewhere.records.create(accessTo(first!), 'tasks', { title: 'made meanwhile' })
    const found = await records.list(accessTo(first!), 'tasks', query({ limit: '1' }))
    t.same(titles(found), ['made meanwhile'])
  },
)

/** A bucket whose watch delivers nothing new until it is released. */
function delayed(bucket: Bucket) {
  const waiting: (() => void)[] = []
  let isHeld = false
  return {
    hold: () => void (isHeld = true),
    release: () => waiting.splice(0).forEach((tell) => tell()),
    bucket: {
      get: (key) => bucket.get(key),
      create: (...given) => bucket.create(...given),
      update: (...given) => bucket.update(...given),
      put: (...given) => bucket.put(...given),
      delete: (key) => bucket.delete(key),
      scan: (prefix) => bucket.scan(prefix),
      watch: (onChange, prefix) =>
        bucket.watch((change) => {
          if (isHeld) waiting.push(() => onChange(change))
          else onChange(change)
        }, prefix),
    } satisfies Bucket,
  }
}

t.test('own writes are read at once, and the watch’s later report changes nothing', async (t) => {
  const { bucket, hold, release } = delayed(new MemoryStore().bucket('records'))
  const { records, indexes } = recordsOn(bucket)
  t.teardown(() => indexes.stop())
  const access = accessTo(newAccessId('client'))
  const list = () => records.list(access, 'tasks', query({ sort: 'title' }))
  t.same(titles(await list()), [])
  hold()
  const { id } = (await records.create(access, 'tasks', { title: 'a' })).data
  const gone = (await records.create(access, 'tasks', { title: 'b' })).data.id
  t.same(titles(await list()), ['a', 'b'])
  await records.patch(access, 'tasks', id, () => 1, { title: 'c' })
  await records.remove(access, 'tasks', gone, () => 1)
  t.same(titles(await list()), ['c'])
  await new Promise((resolve) => setImmediate(resolve))
  release()
  t.same(titles(await list()), ['c'], 'neither the old title nor the deleted one is back')
  t.match((await records.get(access, 'tasks', id)).data, { title: 'c', version: 2 })
})

t.test('a record that another gateway has just made is found by its id', async (t) => {
  const memory = new MemoryStore().bucket('records')
  const { bucket, hold } = delayed(memory)
  const here = recordsOn(bucket)
  const there = recordsOn(memory)
  t.teardown(() => [here, there].forEach(({ indexes }) => indexes.stop()))
  const access = accessTo(newAccessId('client'))
  await here.records.list(access, 'tasks', query())
  hold()
  const { id } = (await there.records.create(access, 'tasks', { title: 'new' })).data
  t.match((await here.records.get(access, 'tasks', id)).data, { title: 'new' })
})

t.test('a slow index answers 503 at first, and serves once it is loaded', async (t) => {
  const memory = new MemoryStore().bucket('records')
  let letGo = () => {}
  const held = new Promise<void>((resolve) => (letGo = resolve))
  const slow: Bucket = {
    ...delayed(memory).bucket,
    async watch(onChange, prefix) {
      await held
      return memory.watch(onChange, prefix)
    },
  }
  const { records, indexes } = recordsOn(slow, { indexWaitMs: 10 })
  t.teardown(() => indexes.stop())
  const access = accessTo(newAccessId('client'))
  const list = () => refusal(() => records.list(access, 'tasks', query()))
  t.equal(await list(), 'unavailable')
  t.equal(await list(), 'unavailable')
  t.equal(await refusal(() => records.create(access, 'tasks', { title: 'x' })), 'done')
  letGo()
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(await list(), 'done')
})

t.test('a failed load is started again by the next request', async (t) => {
  const memory = new MemoryStore().bucket('records')
  let failures = 1
  const failing: Bucket = {
    ...delayed(memory).bucket,
    async watch(onChange, prefix) {
      if (failures-- > 0) throw new Error('away')
      return memory.watch(onChange, prefix)
    },
  }
  const { records, indexes } = recordsOn(failing)
  t.teardown(() => indexes.stop())
  const access = accessTo(newAccessId('client'))
  await t.rejects(records.list(access, 'tasks', query()), /away/)
  t.equal(await refusal(() => records.list(access, 'tasks', query())), 'done')
})
