// Goal: ended actors are removed after their time, or when there are too many, with everything they
// left; live ones stay.
import { pino } from 'pino'
import t from 'tap'
import { encode } from '../../../../proto/codec.ts'
import { buckets, ownerKey, subjects, viewKey } from '../../../../proto/subjects.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import { actorLimits } from '../../../../runtime/actor/limits.ts'
import { Retention } from '../../../../runtime/actor/retention.ts'
import { StoreUnavailable } from '../../../../runtime/store/store.ts'
import { entriesOf } from '../../../../runtime/store/entries-of.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'

const hour = 3_600_000

async function stage() {
  const store = new MemoryStore()
  const { clock } = new SimProcess(new Timeline(), 'p')
  const removed: string[] = []
  const retention = new Retention({
    store,
    clock,
    lease: {} as never,
    membership: {} as never,
    log: pino({ level: 'silent' }),
    keptMs: hour,
    keptPerTenant: 2,
    kinds: ['task', 'session'].map((kind) => ({
      protocol: { kind, verbs: {} },
      forget: async (id: string) => void removed.push(`${kind} ${id}`),
    })),
    purgeMarkers: async () => 0,
  })
  retention.stop()
  const add = async (kind: string, id: string, endedAgoMs?: number) => {
    const ended = endedAgoMs === undefined ? {} : { endedAtMs: clock.now() - endedAgoMs }
    const view = { id, tenant: 'acme', ...ended }
    await store.log.append(subjects.log(kind, id), encode({ n: 1 }), 0)
    await store.bucket(buckets.owners).create(ownerKey(kind, id), encode({}))
    await store.bucket(buckets.views).create(viewKey(kind, 'acme', id), encode({ n: 1, view }))
  }
  const left = async () => {
    const [views, owners] = await Promise.all(
      [buckets.views, buckets.owners].map((name) => entriesOf(store.bucket(name))),
    )
    return { views: views!.map(({ key }) => key), owners: owners!.map(({ key }) => key) }
  }
  return { store, retention, removed, add, left }
}

t.test('an expired actor is removed with its log and its other data', async (t) => {
  const { store, retention, removed, add, left } = await stage()
  await add('task', 'old', 2 * hour)
  await add('task', 'new', hour / 2)
  await add('task', 'alive')
  t.equal(await retention.sweep(), 1)
  t.same(removed, ['task old'])
  t.equal(await store.log.last(subjects.log('task', 'old')), undefined)
  t.ok(await store.log.last(subjects.log('task', 'new')))
  t.same(await left(), {
    views: ['task.acme.new', 'task.acme.alive'],
    owners: ['task.new', 'task.alive'],
  })
})

t.test('of too many, the oldest are removed, kind by kind', async (t) => {
  const { retention, removed, add } = await stage()
  for (const [i, id] of ['c', 'b', 'a'].entries()) {
    await add('task', id, i * 1_000)
    await add('session', id, i * 1_000)
  }
  t.equal(await retention.sweep(), 2)
  t.same(removed.sort(), ['session a', 'task a'])
})

t.test('an actor that the store does not remove in time ends no sweep', async (t) => {
  const { store, retention, removed, add, left } = await stage()
  const late = subjects.log('task', 't3')
  const purge = store.log.purge.bind(store.log)
  store.log.purge = async (subject) => {
    if (subject === late) throw new StoreUnavailable(subject)
    return purge(subject)
  }
  const old = ['t1', 't2', 't3', 't4', 't5', 't6']
  for (const id of old) await add('task', id, 2 * hour)
  t.equal(await retention.sweep(), old.length - 1)
  t.same((await left()).views, ['task.acme.t3'], 'its view stays, so that the next sweep finds it')
  store.log.purge = purge
  t.equal(await retention.sweep(), 1)
  t.equal(removed.length, old.length + 1)
})

t.test('a sweep ends if the store answers nothing', async (t) => {
  const { store, retention, add } = await stage()
  let asked = 0
  store.log.purge = async (subject) => {
    asked++
    throw new StoreUnavailable(subject)
  }
  for (let n = 0; n < 40; n++) await add('task', `t${n}`, 2 * hour)
  await t.rejects(retention.sweep(), StoreUnavailable)
  t.equal(asked, actorLimits.retentionSlice * actorLimits.retentionSilentSlices)
})
