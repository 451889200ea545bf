// Goal: however often archivers and readers are killed, and two archivers run at a time, each ended
// actor is in the views or in the archive at every moment, and in the end in one segment's place of
// each reader's copy. Method: random lives on virtual time; a process dies before or after a random
// write. `ARCHIVE_SEED` repeats one.
import t from 'tap'
import { buckets, subjects } from '../../../../../proto/subjects.ts'
import { Archiver } from '../../../../../runtime/actor/archive/archiver.ts'
import { unpackSegment } from '../../../../../runtime/actor/archive/segment.ts'
import { actorLimits } from '../../../../../runtime/actor/limits.ts'
import {
  archiveStage,
  feedOf,
  historyFolder,
  log,
} from '../../../../helpers/runtime/archive-stage.ts'
import type { MemoryStore } from '../../../../helpers/runtime/memory-store.ts'
import { entriesOf } from '../../../../../runtime/store/entries-of.ts'
import { Random } from '../../../../sim/world/random.ts'

const only = process.env['ARCHIVE_SEED']
const seeds = only === undefined ? Array.from({ length: 25 }, (_, i) => i + 1) : [Number(only)]
const tenants = ['acme', 'zulu']
const rounds = 30

class Killed extends Error {}

/** The store as one process sees it, which dies at its `writes`-th write: before or after it. */
function mortal(store: MemoryStore, writes: number, isAfter: boolean) {
  let left = writes
  const dying =
    <A extends unknown[], R>(write: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (left <= 0 || (--left === 0 && !isAfter)) throw new Killed()
      const done = await write(...args)
      if (left === 0) throw new Killed()
      return done
    }
  const overLog = <L extends MemoryStore['log']>(one: L): L =>
    Object.assign(Object.create(one) as L, {
      append: dying(one.append.bind(one)),
      purge: dying(one.purge.bind(one)),
      trim: dying(one.trim.bind(one)),
      last: one.last.bind(one),
      read: one.read.bind(one),
      subjects: one.subjects.bind(one),
    })
  return {
    log: overLog(store.log),
    archive: overLog(store.archive),
    bucket(name: string) {
      const bucket = store.bucket(name)
      return Object.assign(Object.create(bucket) as typeof bucket, {
        watch: bucket.watch.bind(bucket),
        delete: dying(bucket.delete.bind(bucket)),
      })
    },
  }
}

async function archivedIds(store: MemoryStore): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const record of store.archive.read(subjects.archiveAll)) {
    ids.push(...unpackSegment(record).views.map(({ id }) => id))
  }
  return ids
}

async function heldIds(store: MemoryStore): Promise<readonly string[]> {
  const entries = await entriesOf(store.bucket(buckets.views))
  return entries.map(({ key }) => key.split('.')[2]!)
}

for (const seed of seeds) {
  t.test(`seed ${seed}`, async (t) => {
    const random = new Random(seed)
    const { store, timeline, clock, archiver: unused, add } = archiveStage()
    unused.stop()
    const files = historyFolder()
    let history = files.open()
    t.teardown(async () => {
      await history.close()
      files.remove()
    })
    const begin = (writes: number) =>
      new Archiver({
        store: mortal(store, writes, random.chance(0.5)),
        clock,
        log,
        kinds: [{ protocol: { kind: 'session', verbs: {} } }],
        handledUntilMs: () => clock.now(),
        kept: { keptMs: Infinity, keptPerTenant: Infinity, keptBytes: Infinity },
      })
    const archivers = [begin(random.int(1, 40)), begin(random.int(1, 40))]
    const all: string[] = []
    const nothingIsLost = async () => {
      const found = new Set([...(await heldIds(store)), ...(await archivedIds(store))])
      const lost = all.filter((id) => !found.has(id))
      if (lost.length > 0) t.fail(`lost: ${lost.join()}`)
    }
    for (let round = 0; round < rounds; round++) {
      for (let count = random.int(0, 5); count > 0; count--) {
        const id = `ses_${String(all.length).padStart(5, '0')}`
        all.push(id)
        await add('session', random.pick(tenants), id, { createdMs: all.length })
      }
      await timeline.run(random.int(1, 20) * 60_000)
      await nothingIsLost()
      if (random.chance(0.4)) {
        const at = random.int(0, 1)
        archivers[at]!.stop()
        archivers[at] = begin(random.int(1, 60))
      }
      if (random.chance(0.2)) {
        await (await feedOf({ store, clock }, history)).stop()
        await history.close()
        history = files.open()
      }
    }
    for (const archiver of archivers) archiver.stop()
    const last = begin(Infinity)
    await timeline.run(3 * 3_600_000 + actorLimits.archiveSettleMs)
    last.stop()
    await nothingIsLost()
    t.same(await heldIds(store), [], 'all have moved')
    const logs = await Promise.all(all.map((id) => store.log.last(subjects.log('session', id))))
    t.ok(
      logs.every((entry) => entry === undefined),
      'with their logs',
    )
    t.same(await entriesOf(store.bucket(buckets.owners)), [], 'and their owners')
    await (await feedOf({ store, clock }, history)).stop()
    const walked = [...history.walk('session', { newestFirst: false })]
    t.same(
      walked.map(({ id }) => id),
      all,
    )
    t.ok(walked.every(({ id, read }) => read()?.id === id))
    const counted = tenants.map((tenant) => history.sums.count('session', tenant))
    t.equal(counted[0]! + counted[1]!, all.length, 'and each counts once')
    t.equal(history.sums.tally('session').get('done'), all.length)
  })
}
