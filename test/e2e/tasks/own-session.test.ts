/**
 * Goal: SIGKILL of any process while a task waits for, reads or leaves the session that it made:
 * the task reaches its goal, and it has exactly one session, which ends with it. Method: one task is
 * held in each of these states and one kill affects them all; then kills at random moments.
 */
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { readLastEntry } from '../../../runtime/actor/log.ts'
import { openInsider } from '../../helpers/service/insider.ts'
import { policyModel } from '../../helpers/models/policy-model.ts'
import { descendantsOf, isRunning } from '../../helpers/lib/processes.ts'
import { isReady } from '../../helpers/service/service.ts'
import { checkTask } from '../../helpers/tasks/checker.ts'
import { TaskMoments, type Moment } from '../../helpers/tasks/moments.ts'
import { serveTasks } from '../../helpers/pages/task-pages.ts'
import { startTaskService } from '../../helpers/tasks/service.ts'
import { until } from '../../helpers/lib/until.ts'
import { Random } from '../../sim/world/random.ts'

const pages = await serveTasks(t)
const env = { MAX_SESSIONS: '2', POOL_HEADLESS: '2' }
const { model, service, tasks } = await startTaskService(t, policyModel, { env })
const { store, holdRecords, close } = await openInsider(service.dataDir)
t.teardown(close)
const moments = new TaskMoments(tasks, pages)
model.answerWith(moments.script)

async function stateOf(kind: 'task' | 'session', id: string): Promise<string | undefined> {
  const last = await readLastEntry(store.log, kind, id)
  return (last?.entry.snapshot as { readonly value: string } | undefined)?.value
}

const ownSession = (taskId: string) => taskId.replace('tsk_', 'ses_')

/** Blocks all reads of and acts on pages until the returned function is called. */
function freezePages(): () => void {
  const pids = descendantsOf(service.pid)
    .filter(({ command }) => command.includes('--type=renderer'))
    .map(({ pid }) => pid)
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  return () => pids.filter(isRunning).forEach((pid) => process.kill(pid, 'SIGCONT'))
}

interface SessionItem {
  readonly id: string
  readonly status: string
}

/** All sessions that ever existed. */
async function listSessions(): Promise<readonly SessionItem[]> {
  const path = '/v1/sessions?limit=50'
  const { body } = await service.rest<{ data: { sessions: SessionItem[] } }>('GET', path)
  return body.data.sessions
}

async function browsersHeld(): Promise<number> {
  const { body } = await service.rest<string>('GET', '/metrics')
  return Number(/^troupe_browsers\{[^}]*state="claimed"\} (\d+)/m.exec(body)?.[1])
}

const made = new Set<string>()

/** Each of these tasks made exactly one session, which has ended, and no other was made. */
async function nothingIsLeft(t: Test, taskIds: readonly string[]): Promise<void> {
  for (const id of taskIds) made.add(ownSession(id))
  const sessions = await until('every session is over', async () => {
    const all = await listSessions()
    return all.every(({ status }) => status !== 'starting' && status !== 'running') && all
  })
  t.same(sessions.map(({ id }) => id).sort(), [...made].sort())
  await until('no browser is held', async () => (await browsersHeld()) === 0)
}

/** Three tasks: one reads its page, one leaves its session, one waits for a browser. */
async function holdAll() {
  const [reading, leaving] = await Promise.all([
    moments.by['paused']!(undefined),
    moments.ending(undefined),
  ])
  const run = pages.run('copy')
  const id = await moments.start(run, undefined, policyModel)
  await until('its session stands in line', async () => {
    return (await stateOf('session', ownSession(id))) === 'claiming'
  })
  await holdRecords(true)
  const thaw = freezePages()
  await reading.goOn()
  leaving.goOn()
  await until('it leaves', async () => (await stateOf('task', leaving.id)) === 'leaving')
  const held: Readonly<Record<string, Pick<Moment, 'id' | 'run'>>> = {
    acquiring: { id, run },
    observing: reading,
    leaving,
  }
  return { held, thaw }
}

const completed = { status: 'COMPLETED', result: { success: true } }

for (const program of ['actors', 'gateway', 'nats-server', 'node-agent'] as const) {
  t.test(`${program} is killed: each task has one session, which ends with it`, async (t) => {
    const { held, thaw } = await holdAll()
    const struck = service.strike(program)
    thaw()
    await struck
    await until('the service is ready', () => isReady(service.rest), 60_000)
    await holdRecords(false)
    for (const [state, { id, run }] of Object.entries(held)) {
      const task = await tasks.ended(id)
      t.match(task, completed, `${state}: ${task.error ?? 'completed'}`)
      t.ok(run.isSolved(), `${state}: solved`)
      const recorded = { task, steps: await tasks.steps(id), told: run.told }
      t.same(await checkTask(store, recorded), [], `${state}: nothing lost or twice`)
    }
    await nothingIsLeft(
      t,
      Object.values(held).map(({ id }) => id),
    )
  })
}

t.test('the actor host is killed again and again while sessions come and go', async (t) => {
  const seed = Number(process.env['SEED'] ?? Date.now())
  const random = new Random(seed)
  const runs = ['sign-up', 'copy', 'pagination'].map((name) => pages.run(name))
  const ids: string[] = []
  for (const [i, run] of runs.entries()) {
    const kept = i === 1 ? { keep_session: true } : {}
    ids.push(await moments.start(run, undefined, policyModel, kept))
    // Somewhere in the making of its session: no condition marks the moment.
    await pause(random.between(0, 150))
    await service.strike('actors')
    await until('the service is ready', () => isReady(service.rest), 60_000)
  }
  t.comment(`SEED=${seed}`)
  for (const [i, id] of ids.entries()) {
    const task = await tasks.ended(id)
    t.match(task, completed, `${runs[i]!.name}: ${task.error ?? 'completed'}`)
    t.ok(runs[i]!.isSolved(), `${runs[i]!.name}: solved`, { told: runs[i]!.told })
    const recorded = { task, steps: await tasks.steps(id), told: runs[i]!.told }
    t.same(await checkTask(store, recorded), [], `${runs[i]!.name}: nothing lost or twice`)
  }
  const kept = ownSession(ids[1]!)
  t.equal((await service.rest('DELETE', `/v1/sessions/${kept}`)).status, 200, 'it was kept')
  await nothingIsLeft(t, ids)
})
