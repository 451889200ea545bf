// Goal: a client uses no more than its share of the bucket of records, past values included, and what
// deleted records have left goes.
import t from 'tap'
import { encode } from '../../../../proto/codec.ts'
import { defined } from '../../../../proto/defined.ts'
import { newAccessId } from '../../../../proto/access/ids.ts'
import { newRecordId } from '../../../../proto/access/areas/prefixes.ts'
import { buckets } from '../../../../proto/subjects.ts'
import type { RecordStore } from '../../../../runtime/access/records/record-store.ts'
import {
  hourlyTombstoneSweep,
  sweepTombstones,
} from '../../../../runtime/access/records/tombstones.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import { accessTo, query, recordsOn, refusal } from '../../../helpers/access/actors/records.ts'

const client = newAccessId('client')
const other = newAccessId('client')
const all = accessTo(client)

function open() {
  const bucket = new MemoryStore().bucket(buckets.records)
  const world = recordsOn(bucket)
  t.teardown(() => world.indexes.stop())
  return { ...world, bucket, world }
}

const hourMs = 60 * 60_000

/** What a sweep needs, with an audit that has recorded everything, and the subjects it trims. */
function sweeping(
  store: RecordStore,
  audited?: { readonly atMs: number; readonly oldestMs?: number },
) {
  const trimmed: string[] = []
  const state = encode(audited ?? { atMs: Number.MAX_SAFE_INTEGER })
  return {
    ...{ records: store, trimmed, purgeMarkers: async () => 0 },
    changes: { trim: async (subject: string) => void trimmed.push(subject) },
    audit: { get: async (key: string) => ({ key, value: state, revision: 1 }) },
  }
}

t.test('a client that has used its share writes no more, and may delete', async (t) => {
  const { records, world } = open()
  world.shareBytes = 20_000
  await records.list(all, 'tasks', query())
  const ids: string[] = []
  const add = async (access = all) =>
    (await records.create(access, 'tasks', { title: 'x'.repeat(200) })).data.id
  while (ids.length < 100) {
    const id = await add().catch(() => undefined)
    if (id === undefined) break
    ids.push(id)
  }
  t.ok(ids.length > 5 && ids.length < 100, `${ids.length}`)
  t.equal(await refusal(add), 'storage_full')
  const change = () => records.patch(all, 'tasks', ids[0]!, () => 1, { title: 'y' })
  t.equal(await refusal(change), 'storage_full', 'a change adds a past value')
  await t.resolves(add(accessTo(other)), 'another client goes on')
  for (const id of ids.slice(0, 5)) await records.remove(all, 'tasks', id, () => 1)
  t.equal(await refusal(add), 'storage_full', 'the past values are there still')
  world.nowMs += 2 * hourMs
  await t.resolves(add(), 'there is room again')
})

t.test('past values count, so that changing one record again and again is no way', async (t) => {
  const { records, world } = open()
  world.shareBytes = 4_000
  await records.list(all, 'tasks', query())
  const { id } = (await records.create(all, 'tasks', { title: 'x'.repeat(150) })).data
  const changes = async () => {
    for (let n = 1; n < 20; n++) await records.patch(all, 'tasks', id, () => n, { title: `${n}` })
  }
  t.equal(await refusal(changes), 'storage_full')
})

t.test('past values of a deleted record go after an hour, once the audit has them', async (t) => {
  const { records, store, world } = open()
  const { id } = (await records.create(all, 'tasks', { title: 'x' })).data
  await records.remove(all, 'tasks', id, () => 1)
  const sweep = async (laterMs: number, behindMs?: number) => {
    const nowMs = world.nowMs + laterMs
    const oldestMs = behindMs && nowMs - behindMs
    const deps = sweeping(store, { atMs: nowMs, ...defined({ oldestMs }) })
    await sweepTombstones(deps, nowMs)
    return deps.trimmed
  }
  t.same(await sweep(hourMs - 1), [])
  t.same(await sweep(2 * hourMs, 3 * hourMs), [], 'the audit is behind')
  t.same(await sweep(hourMs), [`$KV.${buckets.records}.${client}.tasks.${id}`])
  t.same(await sweep(3 * 24 * hourMs), [], 'not again and again')
})

t.test('a tombstone stays for thirty days and is then removed', async (t) => {
  const { records, bucket, store, world } = open()
  const { id } = (await records.create(all, 'tasks', { title: 'x' })).data
  await records.create(all, 'tasks', { title: 'kept' })
  await records.remove(all, 'tasks', id, () => 1)
  const dayMs = 24 * 60 * 60_000
  const misplaced = newRecordId('tasks')
  const held = await store.get(client, 'tasks', id)
  await bucket.put(`${other}.tasks.${misplaced}`, encode(held!.record))
  const purged: number[] = []
  const purgeMarkers = async (olderThanMs: number) => void purged.push(olderThanMs)
  const deps = { ...sweeping(store), purgeMarkers }
  t.equal(await sweepTombstones(deps, world.nowMs + 29 * dayMs), 0)
  t.ok(await store.get(client, 'tasks', id))
  const hourly = hourlyTombstoneSweep(deps)
  const laterMs = world.nowMs + 31 * dayMs
  t.equal(await hourly(laterMs), 1)
  t.equal(await hourly(laterMs + hourMs / 2), 0)
  t.equal(purged.length, 1, 'once an hour')
  await hourly(laterMs + hourMs)
  t.equal(purged.length, 2)
  t.equal(await store.get(client, 'tasks', id), undefined)
  t.equal((await records.list(all, 'tasks', query())).data.length, 1)
})
