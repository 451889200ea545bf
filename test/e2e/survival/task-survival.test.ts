/**
 * Goal: SIGKILL of any process, whatever a task is doing at that moment: it reaches its goal, or
 * ends with the true reason; no step is lost, repeated or out of order, and nothing is clicked
 * twice. Method: tasks are held in each state, by their model or their page, and one kill affects
 * them all; then kills at random moments.
 */
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { openInsider } from '../../helpers/service/insider.ts'
import { policyModel } from '../../helpers/models/policy-model.ts'
import { createSession, isReady } from '../../helpers/service/service.ts'
import { checkTask } from '../../helpers/tasks/checker.ts'
import { TaskMoments } from '../../helpers/tasks/moments.ts'
import { serveTasks } from '../../helpers/pages/task-pages.ts'
import { startTaskService } from '../../helpers/tasks/service.ts'
import { until } from '../../helpers/lib/until.ts'
import { Random } from '../../sim/world/random.ts'

const pages = await serveTasks(t)
const { model, service, tasks } = await startTaskService(t, undefined, {
  env: { POOL_HEADLESS: '2' },
})
const insider = await openInsider(service.dataDir)
t.teardown(() => insider.close())

const moments = new TaskMoments(tasks, pages)
model.answerWith(moments.script)
const states = Object.keys(moments.by)
const sideBySide = 8

async function strike(program: Parameters<typeof service.strike>[0]): Promise<void> {
  await service.strike(program)
  await until('the service is ready', () => isReady(service.rest), 60_000)
}

const newSessions = (count: number) =>
  Promise.all(Array.from({ length: count }, () => createSession(service.rest)))
const end = ({ id }: { id: string }) => service.rest('DELETE', `/v1/sessions/${id}`)

for (const program of ['actors', 'gateway', 'nats-server', 'node-agent'] as const) {
  t.test(`${program} is killed: tasks go on from every state`, async (t) => {
    const sessions = await newSessions(sideBySide)
    for (let from = 0; from < states.length; from += sideBySide) {
      const names = states.slice(from, from + sideBySide)
      const held = await Promise.all(names.map((name, i) => moments.by[name]!(sessions[i]!.id)))
      await strike(program)
      await Promise.all(held.map(({ goOn }) => goOn()))
      for (const [i, { id, run }] of held.entries()) {
        const task = await tasks.ended(id)
        t.match(task, { status: 'COMPLETED', result: { success: true } }, `${names[i]}: completed`)
        t.ok(run.isSolved(), `${names[i]}: solved`, { told: run.told })
        const recorded = { task, steps: await tasks.steps(id), told: run.told }
        t.same(await checkTask(insider.store, recorded), [], `${names[i]}: nothing lost or twice`)
      }
    }
    await Promise.all(sessions.map(end))
  })
}

t.test('the actor host is killed repeatedly, at any moment', async (t) => {
  const names = ['sign-up', 'wizard', 'shop', 'pagination']
  const sessions = await newSessions(names.length)
  const runs = names.map((name) => pages.run(name))
  const ids = await Promise.all(
    runs.map((run, i) => moments.start(run, sessions[i]!.id, policyModel)),
  )
  const areOver = async () => {
    const all = await Promise.all(ids.map((id) => tasks.get(id)))
    return all.every(({ status }) => status !== 'RUNNING')
  }
  const seed = Number(process.env['SEED'] ?? Date.now())
  const random = new Random(seed)
  let kills = 0
  for (; kills < 4 && !(await areOver()); kills++) {
    const asked = model.exchanges.length + random.int(0, 3)
    await until('some more was asked', async () => {
      return model.exchanges.length > asked || (await areOver())
    })
    // Somewhere in the step: no condition marks the moment.
    await pause(random.between(0, 150))
    await strike('actors')
  }
  t.comment(`${kills} kills, SEED=${seed}`)
  for (const [i, id] of ids.entries()) {
    const task = await tasks.ended(id)
    t.match(task, { status: 'COMPLETED', result: { success: true } }, `${names[i]}: completed`)
    t.ok(runs[i]!.isSolved(), `${names[i]}: solved`, { told: runs[i]!.told })
    const recorded = { task, steps: await tasks.steps(id), told: runs[i]!.told }
    t.same(await checkTask(insider.store, recorded), [], `${names[i]}: nothing lost or twice`)
  }
  await Promise.all(sessions.map(end))
})
