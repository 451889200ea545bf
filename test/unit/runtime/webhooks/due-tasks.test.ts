/**
 * Goal: a task still open at its due date is reported once, for clients that subscribe, and after a
 * restart what passed meanwhile is reported. Method: records in memory, and a time that the test
 * sets.
 */
import t from 'tap'
import { newRecordId } from '../../../../proto/access/areas/prefixes.ts'
import { systemAuthor } from '../../../../proto/access/author.ts'
import type { EndpointView } from '../../../../proto/access/webhooks/endpoint.ts'
import { newAccessId } from '../../../../proto/access/ids.ts'
import { buckets } from '../../../../proto/subjects.ts'
import {
  changedRecord,
  createdRecord,
  tombstoneOf,
} from '../../../../runtime/access/records/change.ts'
import { RecordStore } from '../../../../runtime/access/records/record-store.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import { DueTasks } from '../../../../runtime/webhooks/fan-out/due-tasks.ts'
import { until } from '../../../helpers/lib/until.ts'

const [client, other] = [newAccessId('client'), newAccessId('client')]
const startMs = Date.UTC(2030, 0, 1)
const hourMs = 3_600_000
const origin = { by: systemAuthor('test') }
const iso = (ms: number) => new Date(ms).toISOString()

function stage() {
  const records = new RecordStore(new MemoryStore().bucket(buckets.records))
  const endpoint = { tenant: client, status: 'active', events: ['task.*'] }
  const endpoints = [endpoint] as unknown as EndpointView[]
  let seen = () => undefined as void
  const views = {
    *endpoints() {
      yield* endpoints
    },
    onEndpoint: (listener: (one: EndpointView) => void) => {
      seen = () => listener(endpoints[0]!)
    },
  }
  const dueTasks = new DueTasks({ records, views })
  dueTasks.begin(startMs)
  const task = async (dueMs: number, more: object = {}, of = client) => {
    const id = newRecordId('tasks')
    const fields = { title: 'Call them', due_at: iso(dueMs), ...more }
    const made = { client: of, area: 'tasks', id, fields, action: 'create' } as const
    await records.create(createdRecord(made, origin, startMs))
    return id
  }
  const change = async (id: string, fields: object, nowMs: number) => {
    const { record, revision } = (await records.get(client, 'tasks', id))!
    const next = changedRecord(record, { ...record.fields, ...fields }, origin, nowMs)
    await records.replace(next, revision)
  }
  /** The events at that time, which are then marked as reported. */
  const tell = async (nowMs: number, told = dueTasks) => {
    const { happenings, settle } = await told.passed(nowMs)
    settle()
    return happenings.map(({ event }) => event)
  }
  const idsAt = async (nowMs: number) => (await tell(nowMs)).map(({ object }) => object.id)
  return { records, views, dueTasks, endpoints, task, change, tell, idsAt, see: () => seen() }
}

t.test('an overdue task is reported once, with its current fields', async (t) => {
  const { task, change, tell, dueTasks } = stage()
  const id = await task(startMs + hourMs)
  t.same(await tell(startMs + hourMs - 1), [])
  await change(id, { title: 'Call them today' }, startMs + 1)
  const [event, ...more] = await tell(startMs + hourMs)
  t.match(event, {
    ...{ type: 'task.overdue', atMs: startMs + hourMs, id: /^evt_/ },
    object: { area: 'tasks', id, version: 2 },
  })
  t.same(more, [])
  t.same(await tell(startMs + 2 * hourMs), [])
  dueTasks.begin(startMs)
  const [again] = await tell(startMs + 2 * hourMs)
  t.equal(again?.id, event?.id, 'told again by another host, it is the same event')
})

t.test('a task that is done, postponed, deleted or moved is not overdue', async (t) => {
  const { records, task, change, idsAt } = stage()
  const soon = startMs + hourMs
  for (const status of ['completed', 'cancelled', 'deferred']) await task(soon, { status })
  const [done, gone, moved] = [await task(soon), await task(soon), await task(soon)]
  const kept = await task(soon, { status: 'waiting' })
  t.same(await idsAt(startMs), [], 'they are watched')
  await change(done, { status: 'completed' }, startMs + 1)
  await change(moved, { due_at: iso(soon + hourMs) }, startMs + 1)
  const held = (await records.get(client, 'tasks', gone))!
  await records.replace(tombstoneOf(held.record, origin, startMs + 1), held.revision)
  t.same(await idsAt(soon), [kept])
  t.same(await idsAt(soon + hourMs), [moved])
})

t.test('a task already overdue when written is not reported; a new date is', async (t) => {
  const { task, change, idsAt } = stage()
  t.same(await idsAt(startMs + 2 * hourMs), [])
  const id = await task(startMs - hourMs)
  t.same(await idsAt(startMs + 2 * hourMs), [])
  await change(id, { due_at: iso(startMs + 3 * hourMs) }, startMs + 2 * hourMs)
  const told = await until('the change has been heard', async () => {
    const ids = await idsAt(startMs + 4 * hourMs)
    return ids.length > 0 && ids
  })
  t.same(told, [id])
})

t.test('dates that passed without a worker are reported by the next one', async (t) => {
  const { records, views, dueTasks, task, tell } = stage()
  await tell(startMs)
  const [early, late] = [await task(startMs + hourMs), await task(startMs + 3 * hourMs)]
  t.equal((await tell(startMs + 2 * hourMs)).length, 1)
  const { handledUntilMs } = dueTasks
  dueTasks.stop()
  t.notOk(dueTasks.isWatching)
  const next = new DueTasks({ records, views })
  next.begin(handledUntilMs)
  const ids = (await tell(startMs + 4 * hourMs, next)).map(({ object }) => object.id)
  t.same(ids, [late])
  t.notOk(ids.includes(early), 'that one had been told of')
})

t.test('for clients without subscribers nothing is read', async (t) => {
  const { task, tell, idsAt, endpoints, see, dueTasks } = stage()
  await task(startMs + hourMs, {}, other)
  const mine = await task(startMs + hourMs)
  t.same(await idsAt(startMs + hourMs), [mine])
  endpoints[0] = { ...endpoints[0]!, events: ['contact.*'] }
  see()
  await tell(startMs + hourMs)
  t.notOk(dueTasks.isWatching)
})

t.test('more than one turn can report is reported in the next turns', async (t) => {
  const { task, dueTasks } = stage()
  const made = new Set<string>()
  for (let n = 0; n < 150; n++) made.add(await task(startMs + hourMs))
  const told = new Set<string>()
  for (let isFull = true; isFull;) {
    const passed = await dueTasks.passed(startMs + hourMs)
    t.ok(passed.happenings.length <= 64)
    for (const { event } of passed.happenings) told.add(event.object.id)
    passed.settle()
    isFull = passed.isFull
  }
  t.same(told, made)
})
