// Goal: records on a real server: gateways agree, a writer reads its own writes, one of two
// concurrent writers wins, a client with 50,000 records is served, and no client learns of
// another's. Method: the record services of two gateways, each over its own connection.
import t, { type Test } from 'tap'
import { newAccessId, type ClientId } from '../../../proto/access/ids.ts'
import { newRecordId } from '../../../proto/access/areas/prefixes.ts'
import { buckets } from '../../../proto/subjects.ts'
import { createdRecord } from '../../../runtime/access/records/change.ts'
import type { BucketChange } from '../../../runtime/store/store.ts'
import {
  accessTo,
  query,
  recordsOn,
  refusal,
  type RecordsWorld,
} from '../../helpers/access/actors/records.ts'
import { startNats } from '../../helpers/nats/nats.ts'
import { until } from '../../helpers/lib/until.ts'

const nats = await startNats(t)

async function gateway(t: Test): Promise<RecordsWorld> {
  const bucket = (await nats.store(10_000)).bucket(buckets.records)
  const world = recordsOn(bucket, { indexWaitMs: 60_000 })
  t.teardown(() => world.indexes.stop())
  return world
}

async function idsIn({ records }: RecordsWorld, client: ClientId): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const asked = query({ limit: '100', sort: 'title', ...(cursor && { cursor }) })
    const { data, page } = await records.list(accessTo(client), 'tasks', asked)
    ids.push(...data.map(({ id, version, title }) => `${String(title)} ${id}@${version}`))
    cursor = page.next_cursor
  }
  return ids
}

t.test('two gateways that write at the same time end with the same lists', async (t) => {
  const [a, b] = [await gateway(t), await gateway(t)]
  const client = newAccessId('client')
  const access = accessTo(client)
  await Promise.all([idsIn(a, client), idsIn(b, client)])
  const work = async ({ records }: RecordsWorld, name: string) => {
    for (let i = 0; i < 40; i++) {
      const { id } = (await records.create(access, 'tasks', { title: `${name} ${i}` })).data
      if (i % 3 === 0) await records.patch(access, 'tasks', id, () => 1, { title: `${i} ${name}` })
      if (i % 5 === 0) await records.remove(access, 'tasks', id, () => (i % 3 === 0 ? 2 : 1))
    }
  }
  await Promise.all([work(a, 'a'), work(b, 'b')])
  await until('both agree', async () => {
    const [ofA, ofB] = [await idsIn(a, client), await idsIn(b, client)]
    return ofA.length === 64 && ofA.join() === ofB.join()
  })
  t.same(await idsIn(await gateway(t), client), await idsIn(a, client), 'and so does a new one')
})

t.test('a writer sees its write in the very next list and get', async (t) => {
  const world = await gateway(t)
  const client = newAccessId('client')
  const access = accessTo(client)
  for (let i = 1; i <= 100; i++) {
    const { id } = (await world.records.create(access, 'tasks', { title: 'x' })).data
    t.equal((await idsIn(world, client)).length, i)
    await world.records.patch(access, 'tasks', id, () => 1, { title: `task ${i}` })
    t.match((await world.records.get(access, 'tasks', id)).data, { title: `task ${i}` })
    t.ok((await idsIn(world, client)).includes(`task ${i} ${id}@2`))
  }
})

t.test('of two writers on two gateways one wins, the other conflicts, 100 times', async (t) => {
  const [a, b] = [await gateway(t), await gateway(t)]
  const access = accessTo(newAccessId('client'))
  const { id } = (await a.records.create(access, 'tasks', { title: 'x' })).data
  for (let version = 1; version <= 100; version++) {
    const outcomes = await Promise.all(
      [a, b].map(({ records }, i) =>
        refusal(() =>
          records.patch(access, 'tasks', id, () => version, { title: `${version} ${i}` }),
        ),
      ),
    )
    t.same(outcomes.toSorted(), ['done', 'precondition_failed'])
  }
})

t.test('a watch on one client gets all its changes and none of another client', async (t) => {
  const [here, there] = [await nats.store(), await nats.store()]
  const [mine, other] = [newAccessId('client'), newAccessId('client')]
  const key = (client: ClientId) => `${client}.tasks.${newRecordId('tasks')}`
  const known = key(mine)
  await there.bucket(buckets.records).put(known, Buffer.from('0'))
  const told: BucketChange[] = []
  const watch = await here.bucket(buckets.records).watch((change) => told.push(change), `${mine}.`)
  const second: BucketChange[] = []
  const watchOther = await here
    .bucket(buckets.records)
    .watch((change) => second.push(change), `${other}.`)
  for (let i = 1; i <= 50; i++) {
    await there.bucket(buckets.records).put(key(other), Buffer.from(`${i}`))
    await there.bucket(buckets.records).put(key(mine), Buffer.from(`${i}`))
  }
  await there.bucket(buckets.records).delete(known)
  await until('the deletion', () => told.at(-1)?.type === 'delete')
  t.equal(told.length, 52)
  t.ok(told.every((change) => change.key.startsWith(`${mine}.`)))
  watch.stop()
  await there.bucket(buckets.records).put(key(other), Buffer.from('last'))
  await until('the other watch goes on', () => second.length === 51)
  t.equal(told.length, 52, 'one that was stopped hears no more')
  watchOther.stop()
  const broken = here.bucket(buckets.records).scan('a..b.')[Symbol.asyncIterator]()
  await t.rejects(broken.next(), /cannot begin a key/)
})

t.test('an index catches up after the server was away', async (t) => {
  const [a, b] = [await gateway(t), await gateway(t)]
  const client = newAccessId('client')
  await a.records.create(accessTo(client), 'tasks', { title: 'before' })
  t.equal((await idsIn(b, client)).length, 1)
  await nats.kill()
  await nats.start()
  const make = () => a.records.create(accessTo(client), 'tasks', { title: 'after' })
  await until('the writer is back', async () => (await refusal(make).catch(() => '')) === 'done')
  await until('the other one heard of it', async () => (await idsIn(b, client)).length >= 2)
})

t.test('a client with 50,000 records is loaded and listed completely', async (t) => {
  const writer = await gateway(t)
  const client = newAccessId('client')
  const count = 50_000
  let next = 0
  const origin = { by: { kind: 'system', id: 'test' } } as const
  const write = async () => {
    while (next < count) {
      const at = next++
      const fields = { title: `task ${at % 1_000}` }
      const id = newRecordId('tasks')
      const order = { client, area: 'tasks', id, fields, action: 'create' } as const
      await writer.store.create(createdRecord(order, origin, at))
    }
  }
  await Promise.all(Array.from({ length: 64 }, write))
  const ids = await idsIn(await gateway(t), client)
  t.equal(new Set(ids).size, count)
  const order = ids.map((id) => id.replace(/@\d+$/, ''))
  const titles = order.map((text) => text.slice(0, text.lastIndexOf(' ')))
  t.same(titles, titles.toSorted())
})
