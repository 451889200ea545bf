// Goal: a process's copy of the archive lists what the archive has, in order, by tenant and by group,
// through restarts, with other processes, and after the store has lost or replaced its archive; and
// nobody reads a prompt from its file.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { ActorView } from '../../../../../proto/actor.ts'
import { idBeginOf } from '../../../../../proto/ids.ts'
import { subjects } from '../../../../../proto/subjects.ts'
import { facet } from '../../../../../runtime/actor/archive/archived-kind.ts'
import type { ViewRange } from '../../../../../runtime/actor/archive/history.ts'
import { KindHistory } from '../../../../../runtime/actor/archive/kind-history.ts'
import { packSegment, packViews } from '../../../../../runtime/actor/archive/segment.ts'
import {
  archiveStage,
  feedOf,
  historyFolder,
  type StagedView,
} from '../../../../helpers/runtime/archive-stage.ts'

type Stage = ReturnType<typeof archiveStage>

function stage(t: Test) {
  const { archiver, ...rest } = archiveStage()
  archiver.stop()
  const files = historyFolder()
  const history = files.open()
  t.teardown(async () => {
    await history.close()
    files.remove()
  })
  return { ...rest, ...files, history }
}

const viewOf = (id: string, tenant: string, more: Partial<StagedView> = {}): StagedView => ({
  ...{ id, tenant, state: 'done', text: 'the secret goal', endedAtMs: 1 },
  ...more,
})

/** Adds a segment and returns its sequence. */
async function add(
  { store }: Pick<Stage, 'store'>,
  kind: string,
  tenant: string,
  views: readonly ActorView[],
  keptFrom = 0,
) {
  const subject = subjects.archive(kind, tenant)
  const last = await store.archive.last(subject)
  const upTo = { entries: 0, bytes: 0 }
  return store.archive.append(subject, packSegment({ keptFrom, upTo, views }), last?.seq ?? 0)
}

const idsOf = (walked: Iterable<{ readonly id: string }>) =>
  [...walked].map(({ id }) => id).join(' ')

t.test('lists are in order, by tenant and over all, both ways', async (t) => {
  const { history, ...rest } = stage(t)
  await add(rest, 'session', 'acme', [viewOf('ses_3', 'acme'), viewOf('ses_1', 'acme')])
  await add(rest, 'session', 'acme-2', [viewOf('ses_2', 'acme-2', { state: 'failed' })])
  await add(rest, 'task', 'acme', [viewOf('tsk_1', 'acme')])
  const feed = await feedOf(rest, history)
  t.ok(feed.isComplete)
  const ids = (tenant: string | undefined, newestFirst: boolean) =>
    idsOf(history.walk('session', { tenant, newestFirst }))
  t.equal(ids('acme', false), 'ses_1 ses_3')
  t.equal(ids('acme', true), 'ses_3 ses_1')
  t.equal(ids('acme-2', true), 'ses_2')
  t.equal(ids(undefined, false), 'ses_1 ses_2 ses_3')
  t.equal(ids(undefined, true), 'ses_3 ses_2 ses_1')
  t.equal(ids('other', true), '')
  t.same([history.sums.count('session', 'acme'), history.sums.count('session', 'other')], [2, 0])
  t.same([...history.sums.tally('session')].sort(), [
    ['done', 2],
    ['failed', 1],
  ])
  t.same(history.sums.tenants('session'), ['acme', 'acme-2'])
  t.match(history.get('session', 'ses_3'), { tenant: 'acme', text: 'the secret goal' })
  t.equal(history.get('task', 'ses_3'), undefined)
  t.ok(history.has('session', 'ses_1'))
  t.notOk(history.has('session', 'ses_'))
  await feed.stop()
})

t.test('views are found by what they have, and by their time', async (t) => {
  const { history, ...rest } = stage(t)
  const idOf = (ms: number, end: string) => `${idBeginOf('ses', ms)}${end}`
  const hour = 3_600_000
  const made = (hours: number, name: string, tags: readonly string[], state = 'done') =>
    viewOf(idOf(hours * hour, name), 'acme', { tags, state, createdMs: hours * hour })
  const views = [made(1, 'a', ['x']), made(2, 'b', ['x', 'y']), made(3, 'c', ['y.z'], 'failed')]
  await add(rest, 'session', 'acme', views)
  // Its id is a little older than it is.
  const late = viewOf(idOf(4 * hour - 5_000, 'd'), 'zulu', { tags: ['x'], createdMs: 4 * hour })
  await add(rest, 'session', 'zulu', [late])
  const feed = await feedOf(rest, history)
  const names = (range: Partial<ViewRange>) =>
    [...history.walk('session', { newestFirst: false, ...range })]
      .map(({ id, read }) => (read()?.id === id ? id.at(-1) : 'unread'))
      .join('')
  const [x, y, yz] = ['x', 'y', 'y.z'].map((tag) => facet('tag', tag)) as [string, string, string]
  const tenant = 'acme'
  t.equal(names({ tenant, facets: [x] }), 'ab')
  t.equal(names({ tenant, facets: [x], newestFirst: true }), 'ba')
  t.equal(names({ facets: [x] }), 'abd', 'of all tenants')
  t.equal(names({ tenant, facets: [x, y] }), 'b')
  t.equal(names({ tenant, facets: [yz] }), 'c')
  t.equal(names({ tenant, facets: [facet('status', 'failed')] }), 'c')
  t.equal(names({ tenant, facets: [facet('tag', 'done')] }), '')
  const between = (fromMs?: number, toMs?: number) => ({ created: { prefix: 'ses', fromMs, toMs } })
  t.equal(names({ tenant, ...between(2 * hour, 3 * hour) }), 'bc', 'inclusive')
  t.equal(names({ tenant, ...between(undefined, 2 * hour - 1) }), 'a')
  t.equal(names({ tenant, ...between(2 * hour + 1), newestFirst: true }), 'c')
  t.equal(names(between(4 * hour)), 'd')
  t.equal(names(between(undefined, 4 * hour - 1)), 'abc')
  t.equal(names({ tenant, facets: [x], ...between(2 * hour) }), 'b')
  const after = views[1]!.id
  t.equal(names({ after }), 'cd')
  t.equal(names({ after, newestFirst: true }), 'a')
  t.equal(
    names({ tenant, after: `${after}x`, newestFirst: true }),
    'ba',
    'also of one that is gone',
  )
  t.equal(names({ tenant, after, facets: [x] }), '')
  t.equal(names({ after, ...between(4 * hour) }), 'd')
  t.equal(names({ after, ...between(undefined, hour), newestFirst: true }), 'a')
  await add(rest, 'session', 'acme', [], 2)
  await feed.catchUp()
  t.equal(names({ facets: [x] }), 'd', 'and no more when they are gone')
  await feed.stop()
})

t.test('an actor in two segments is one, as the later one has it', async (t) => {
  const { history, ...rest } = stage(t)
  await add(rest, 'session', 'acme', [viewOf('ses_1', 'acme', { state: 'lost' })])
  const feed = await feedOf(rest, history)
  t.equal(history.sums.count('session', 'acme'), 1)
  await add(rest, 'session', 'acme', [viewOf('ses_1', 'acme'), viewOf('ses_2', 'acme')])
  await feed.catchUp()
  t.equal(history.sums.count('session', 'acme'), 2)
  t.same(
    [...history.sums.tally('session')].filter(([, n]) => n > 0),
    [['done', 2]],
  )
  t.match(history.get('session', 'ses_1'), { state: 'done' })
  await feed.stop()
})

t.test('what the archive has removed disappears, whoever was away meanwhile', async (t) => {
  const { history, ...rest } = stage(t)
  await add(rest, 'session', 'acme', [viewOf('ses_1', 'acme')])
  await add(rest, 'session', 'zulu', [viewOf('ses_2', 'zulu')])
  const seq = await add(rest, 'session', 'acme', [viewOf('ses_3', 'acme')])
  const before = await feedOf(rest, history)
  await before.stop()
  await add(rest, 'session', 'acme', [], seq)
  await rest.store.archive.trim(subjects.archive('session', 'acme'), seq)
  const feed = await feedOf(rest, history)
  const all = () => idsOf(history.walk('session', { newestFirst: false }))
  t.equal(all(), 'ses_2 ses_3')
  // A full stream removes its oldest messages without a word.
  await rest.store.archive.trim(subjects.archive('session', 'zulu'), 1_000)
  await feed.catchUp()
  t.equal(all(), 'ses_3')
  t.same(history.sums.tenants('session'), ['acme'])
  await feed.stop()
})

t.test('a restart continues where it was, and two processes share the file', async (t) => {
  const { history, open, ...rest } = stage(t)
  await add(rest, 'session', 'acme', [viewOf('ses_1', 'acme')])
  const first = await feedOf(rest, history)
  const other = open()
  t.equal(other.position?.seq, 1)
  await add(rest, 'session', 'acme', [viewOf('ses_2', 'acme')])
  const second = await feedOf(rest, other)
  t.equal(other.sums.count('session', 'acme'), 2)
  await first.catchUp()
  t.equal(history.sums.count('session', 'acme'), 2)
  t.equal(history.sums.count('session', 'acme'), other.sums.count('session', 'acme'))
  await Promise.all([first.stop(), second.stop()])
  await other.close()
})

t.test('a removal by another process is seen in spite of what is remembered', async (t) => {
  const { history, open, ...rest } = stage(t)
  await add(rest, 'session', 'acme', [viewOf('ses_1', 'acme')])
  const first = await feedOf(rest, history)
  t.ok(history.get('session', 'ses_1'))
  const other = open()
  await add(rest, 'session', 'acme', [], 2)
  const second = await feedOf(rest, other)
  await first.catchUp()
  t.equal(history.get('session', 'ses_1'), undefined)
  await Promise.all([first.stop(), second.stop()])
  await other.close()
})

t.test(
  'another archive under the same name, or an older state of it, replaces the copy',
  async (t) => {
    for (const created of ['first', 'second']) {
      const { history, ...rest } = stage(t)
      await add(rest, 'session', 'acme', [viewOf('ses_1', 'acme')])
      await add(rest, 'session', 'acme', [viewOf('ses_2', 'acme')])
      const feed = await feedOf(rest, history)
      await feed.stop()
      const { archiver, ...restored } = archiveStage()
      archiver.stop()
      await add(restored, 'session', 'acme', [viewOf('ses_9', 'acme')])
      const next = await feedOf(restored, history, created)
      t.equal(idsOf(history.walk('session', { newestFirst: true })), 'ses_9', created)
      await next.stop()
    }
  },
)

t.test('what archived actors have stored elsewhere is counted by tenant and hour', async (t) => {
  const { history, store, ...rest } = stage(t)
  const hour = 3_600_000
  const [a, b] = [viewOf('tsk_1', 'acme'), viewOf('tsk_2', 'acme', { endedAtMs: 5 * hour })]
  const subject = subjects.archive('task', 'acme')
  const elsewhere = { tsk_1: { STEPS: 10 }, tsk_2: { STEPS: 20, PICTURES: 300 } }
  const upTo = { entries: 2, bytes: 0 }
  const packed = packSegment({ keptFrom: 0, upTo, views: [a, b], elsewhere })
  await store.archive.append(subject, packed, 0)
  const feed = await feedOf({ store, ...rest }, history)
  t.same(history.sums.roomOf('acme', 0), { STEPS: 30, PICTURES: 300 })
  t.same(history.sums.roomOf('acme', 4 * hour), { STEPS: 20, PICTURES: 300 })
  t.same(history.sums.roomOf('acme-2', 0), {})
  await add({ store }, 'task', 'acme', [], 2)
  await feed.catchUp()
  t.same(history.sums.roomOf('acme', 0), {})
  await feed.stop()
})

t.test('what archived actors have used is summed by tenant, day and key', async (t) => {
  const { history, ...rest } = stage(t)
  const dayMs = 86_400_000
  const used = (id: string, tenant: string, day: number, spent: number, key = 'ci') =>
    viewOf(id, tenant, { createdMs: day * dayMs, spent, key })
  await add(rest, 'task', 'acme', [
    ...[used('tsk_1', 'acme', 0, 1), used('tsk_2', 'acme', 0, 2), used('tsk_3', 'acme', 3, 4)],
    used('tsk_4', 'acme', 3, 8, 'a bot’s key'),
  ])
  await add(rest, 'task', 'zoo', [used('tsk_5', 'zoo', 3, 16)])
  await add(rest, 'session', 'acme', [used('ses_1', 'acme', 3, 32)])
  const feed = await feedOf(rest, history)
  const uses = (fromDay: string, toDay: string, tenant = 'acme') =>
    [...history.sums.uses('task', { tenant, fromDay, toDay })]
      .map(({ tenant, day, key, figures }) =>
        [tenant, day, key, figures['actors'], figures['spent']].join(' '),
      )
      .sort()
  const [first, last] = ['acme 1970-01-01 ci 2 3', 'acme 1970-01-04 ci 1 4']
  const bots = 'acme 1970-01-04 a bot’s key 1 8'
  t.same(uses('1970-01-01', '1970-01-04'), [first, bots, last].sort())
  t.same(uses('1970-01-02', '1970-01-04'), [bots, last])
  t.same(uses('1970-01-01', '1970-01-03'), [first])
  t.same(uses('1970-01-04', '1970-01-04', 'zoo'), ['zoo 1970-01-04 ci 1 16'])
  t.same(uses('1970-01-04', '1970-01-04', 'zo'), [])
  t.same(uses('1970-01-05', '2026-11-30'), [])
  // A view that is packed again, as after a death of the host that moved it, counts once.
  await add(rest, 'task', 'acme', [used('tsk_3', 'acme', 3, 4)])
  await feed.catchUp()
  t.same(uses('1970-01-04', '1970-01-04'), [bots, last])
  await add(rest, 'task', 'acme', [], 2)
  await feed.catchUp()
  t.same(uses('1970-01-01', '1970-01-04'), [last], 'what retention removed counts no more')
  await feed.stop()
})

t.test('the file has no text in the clear', async (t) => {
  const { history, folder, ...rest } = stage(t)
  const views = [viewOf('ses_1', 'acme')]
  await add(rest, 'session', 'acme', views)
  const feed = await feedOf(rest, history)
  t.match(history.get('session', 'ses_1'), { text: 'the secret goal' })
  const bytes = readFileSync(join(folder, 'data.mdb'))
  t.notOk(bytes.includes('secret goal'))
  t.notOk(bytes.includes(Buffer.from(packViews({ views }))))
  await feed.stop()
})

t.test('texts that can be no id and no tenant are not looked up', async (t) => {
  const { history, ...rest } = stage(t)
  await add(rest, 'session', 'acme', [viewOf('ses_1', 'acme')])
  const feed = await feedOf(rest, history)
  const sessions = new KindHistory(history, 'session')
  for (const text of ['x'.repeat(4_096), '', '.', 'ses_1.', '*', 'ä/\0']) {
    t.equal(sessions.get(text), undefined)
    t.notOk(sessions.has(text))
    t.equal(sessions.count(text), 0)
    t.same([...sessions.walk({ tenant: text, newestFirst: true })], [])
  }
  t.ok(sessions.has('ses_1'))
  await feed.stop()
})
