// Goal: what has ended leaves the buckets and the log, in segments, only when it may, and in an order
// in which nothing is lost if the host dies; and leaves the archive when it is too old or too much.
import t from 'tap'
import { buckets, ownerKey, subjects } from '../../../../../proto/subjects.ts'
import { unpackSegment } from '../../../../../runtime/actor/archive/segment.ts'
import { StoreConflict } from '../../../../../runtime/store/store.ts'
import { actorLimits } from '../../../../../runtime/actor/limits.ts'
import type { MemoryStore } from '../../../../helpers/runtime/memory-store.ts'
import { archiveStage } from '../../../../helpers/runtime/archive-stage.ts'

const minute = 60_000
const { segmentEntries } = actorLimits

async function segmentsOf(store: MemoryStore, kind: string, tenant: string) {
  const found = []
  for await (const record of store.archive.read(subjects.archive(kind, tenant))) {
    found.push(unpackSegment(record))
  }
  return found
}

t.test('a full segment goes after ten minutes, what is left after an hour', async (t) => {
  const { store, timeline, archiver, add, held } = archiveStage()
  for (let i = 0; i < segmentEntries + 2; i++) await add('task', 'acme', `tsk_${i}`)
  await add('session', 'acme', 'ses_alive', { endedAtMs: undefined })
  await timeline.run(9 * minute)
  t.equal((await held()).length, segmentEntries + 3)
  await timeline.run(5 * minute)
  t.equal((await held()).length, 3)
  t.equal(await store.log.last(subjects.log('task', 'tsk_0')), undefined)
  t.equal(await store.bucket(buckets.owners).get(ownerKey('task', 'tsk_0')), undefined)
  await timeline.run(50 * minute)
  t.same(await held(), ['session.acme.ses_alive'])
  t.ok(await store.log.last(subjects.log('session', 'ses_alive')))
  const segments = await segmentsOf(store, 'task', 'acme')
  t.same(
    segments.map(({ views }) => views.length),
    [segmentEntries, 2],
  )
  t.same(
    segments.map(({ upTo }) => upTo.entries),
    [segmentEntries, segmentEntries + 2],
  )
  archiver.stop()
})

t.test('each kind and tenant has its own segments', async (t) => {
  const { store, timeline, archiver, add } = archiveStage()
  for (const tenant of ['acme', 'zulu']) {
    await add('task', tenant, `tsk_${tenant}`)
    await add('session', tenant, `ses_${tenant}`)
  }
  await timeline.run(70 * minute)
  const subjectsOfAll = await store.archive.subjects(subjects.archiveAll)
  const all = ['task', 'session'].flatMap((kind) => [
    subjects.archive(kind, 'acme'),
    subjects.archive(kind, 'zulu'),
  ])
  t.same([...subjectsOfAll].sort(), all.sort())
  const [{ views } = { views: [] }] = await segmentsOf(store, 'session', 'zulu')
  t.same(
    views.map(({ id, tenant }) => [id, tenant]),
    [['ses_zulu', 'zulu']],
  )
  archiver.stop()
})

t.test(
  'nothing goes before its events were handled, or while another host does this',
  async (t) => {
    let handledUntilMs: number | undefined
    const { clock, timeline, archiver, add, held } = archiveStage({
      handledUntilMs: () => handledUntilMs,
    })
    await add('session', 'acme', 'ses_1')
    await timeline.run(2 * 60 * minute)
    t.equal((await held()).length, 1, 'another host')
    handledUntilMs = clock.now() - 3 * 60 * minute
    await timeline.run(10 * minute)
    t.equal((await held()).length, 1, 'events wait')
    handledUntilMs = clock.now()
    await timeline.run(10 * minute)
    t.same(await held(), [])
    archiver.stop()
  },
)

t.test('while the store has little room, nothing waits for an hour', async (t) => {
  let tight = false
  const { timeline, archiver, add, held } = archiveStage({ isTight: async () => tight })
  await add('session', 'acme', 'ses_1')
  await timeline.run(5 * minute)
  t.equal((await held()).length, 1)
  tight = true
  await timeline.run(3 * minute)
  t.same(await held(), [])
  archiver.stop()
})

t.test('packed actors stay where they were until gateways have read the segment', async (t) => {
  const { store, timeline, archiver, add, held } = archiveStage({
    waits: { afterMs: 0, gatherMs: 0 },
  })
  await add('session', 'acme', 'ses_1')
  await timeline.run(actorLimits.archiveSweepMs + 1)
  t.equal((await segmentsOf(store, 'session', 'acme')).length, 1)
  t.same(await held(), ['session.acme.ses_1'])
  await timeline.run(actorLimits.archiveSweepMs)
  t.same(await held(), ['session.acme.ses_1'], 'also at the next sweep')
  await timeline.run(actorLimits.archiveSettleMs)
  t.same(await held(), [])
  t.equal((await segmentsOf(store, 'session', 'acme')).length, 1, 'packed once')
  archiver.stop()
})

t.test('a host that takes over after the first step packs again and removes', async (t) => {
  const first = archiveStage({ waits: { afterMs: 0, gatherMs: 0 } })
  await first.add('session', 'acme', 'ses_1')
  await first.timeline.run(actorLimits.archiveSweepMs + 1)
  first.archiver.stop()
  const { timeline, archiver } = archiveStage({
    store: first.store,
    waits: { afterMs: 0, gatherMs: 0 },
  })
  await timeline.run(2 * minute)
  t.same(await first.held(), [])
  const segments = await segmentsOf(first.store, 'session', 'acme')
  t.same(
    segments.map(({ views }) => views.map(({ id }) => id)),
    [['ses_1'], ['ses_1']],
  )
  archiver.stop()
})

t.test('an actor whose removal is interrupted keeps its view, and is removed later', async (t) => {
  const { store, timeline, archiver, add, held } = archiveStage({
    waits: { afterMs: 0, gatherMs: 0 },
  })
  await add('session', 'acme', 'ses_1')
  const owners = store.bucket(buckets.owners)
  const remove = owners.delete.bind(owners)
  owners.delete = () => Promise.reject(new Error('the process dies'))
  await timeline.run(2 * minute)
  t.same(await held(), ['session.acme.ses_1'])
  owners.delete = remove
  await timeline.run(2 * minute)
  t.same(await held(), [])
  archiver.stop()
})

const quick = { waits: { afterMs: 0, gatherMs: 0, settleMs: 0 } }
const kept = { keptMs: Infinity, keptPerTenant: 1_000_000, keptBytes: Infinity }

t.test('segments that are too many, too large or too old go, with what they left', async (t) => {
  const limits = [
    { ...kept, keptPerTenant: 2 },
    // A segment of this size has more than half as many bytes.
    { ...kept, keptBytes: 150 },
    { ...kept, keptMs: 3 * minute },
  ]
  for (const [i, limit] of limits.entries()) {
    const { store, timeline, archiver, forgotten, add } = archiveStage({ ...quick, kept: limit })
    for (const id of ['tsk_1', 'tsk_2', 'tsk_3']) {
      await add('task', 'acme', id)
      await timeline.run(i === 2 ? 2 * minute : minute)
    }
    if (i === 2) await timeline.run(actorLimits.archivePruneMs)
    const segments = await segmentsOf(store, 'task', 'acme')
    const ids = segments.flatMap(({ views }) => views.map(({ id }) => id))
    const gone = ['tsk_1', 'tsk_2', 'tsk_3'].filter((id) => !ids.includes(id))
    t.same(forgotten, gone, JSON.stringify(limit))
    t.same(gone, i === 2 ? ['tsk_1', 'tsk_2', 'tsk_3'] : gone.slice(0, 2))
    t.ok(gone.length > 0)
    const last = segments.at(-1)!
    t.ok(last.keptFrom > 1, 'readers are told')
    archiver.stop()
  }
})

t.test('nothing is removed that could not be announced; the next time it is', async (t) => {
  const limit = { ...kept, keptPerTenant: 1 }
  const { store, timeline, archiver, forgotten, add } = archiveStage({ ...quick, kept: limit })
  await add('task', 'acme', 'tsk_1')
  await timeline.run(minute)
  const { archive } = store
  const append = archive.append.bind(archive)
  archive.append = async (subject, data, expectedSeq) => {
    // Another host adds a segment just before.
    const isAnnouncement = unpackSegment({ subject, data, seq: 1 }).views.length === 0
    if (isAnnouncement) throw new StoreConflict(subject)
    return append(subject, data, expectedSeq)
  }
  await add('task', 'acme', 'tsk_2')
  await timeline.run(minute)
  t.equal((await segmentsOf(store, 'task', 'acme')).length, 2)
  t.same(forgotten, [])
  archive.append = append
  await timeline.run(actorLimits.archivePruneMs + minute)
  t.same(forgotten, ['tsk_1'])
  archiver.stop()
})
