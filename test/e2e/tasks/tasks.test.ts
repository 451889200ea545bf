/**
 * Goal: the prompts and tools of a model suffice for every task of `test/fixtures/tasks`, through
 * the whole service. Method: a scripted policy that sees only the requests answers as the model;
 * each page and its server say whether the goal was reached and nothing else was done.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { packageRoot } from '../../../runtime/lib/package.ts'
import { policyModel } from '../../helpers/models/policy-model.ts'
import { createSession, headless } from '../../helpers/service/service.ts'
import { serveTasks, type TaskRun } from '../../helpers/pages/task-pages.ts'
import { startTaskService, type Order } from '../../helpers/tasks/service.ts'
import { until } from '../../helpers/lib/until.ts'

const pages = await serveTasks(t)
const { model, service, tasks } = await startTaskService(t, policyModel)

/** Options of the order beside the goal. */
const extras: Readonly<Record<string, (run: TaskRun) => object>> = {
  login: ({ password }) => ({ secret_values: { password } }),
  flights: () => ({
    output_schema: {
      type: 'object',
      properties: { flights: { type: 'array', items: { type: 'string' } } },
      required: ['flights'],
    },
  }),
}
/** What the result has to say, where the page cannot know it. */
const results: Readonly<Record<string, (run: TaskRun) => unknown>> = {
  login: ({ balance }) => ({ success: true, result: `Balance: ${balance} €` }),
  flights: ({ told }) => ({
    flights: told.find(({ type }) => type === 'truth')!.what!.split(','),
  }),
}

const headful = ['kanban', 'dialogs', 'canvas']
const alone = ['login', 'popup']
const inLine = pages.names.filter((name) => ![...headful, ...alone].includes(name))

const orderOf = (run: TaskRun): Order => ({
  prompt: run.goal,
  url: run.url,
  allow_private_network: true,
  ...extras[run.name]?.(run),
})

/** Solved according to the page, with a truthful result. */
async function solve(t: Test, name: string, where: { sessionId?: string; more?: object }) {
  const run = pages.run(name)
  const order = { ...orderOf(run), ...where.more }
  const id = await tasks.start(order, where.sessionId)
  const { status, result, steps, usage, error } = await tasks.ended(id)
  t.equal(status, 'COMPLETED', error ?? name)
  t.ok(run.isSolved(), `${name} is solved`, { told: run.told })
  t.same(result, results[name]?.(run) ?? { ...result, success: true })
  const perCall = Math.round(usage.input_tokens / usage.calls)
  t.comment(`${name}: ${steps} steps, ${usage.calls} calls, ${perCall} tokens a prompt`)
  return { run, id }
}

/** One task after the other in one session. */
async function solveInLine(t: Test, names: string[], body?: unknown) {
  const session = await createSession(service.rest, body)
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    await solve(t, name, { sessionId: session.id })
  }
  await service.rest('DELETE', `/v1/sessions/${session.id}`)
}

t.test('every task is in the list of the README', async (t) => {
  const readme = readFileSync(join(packageRoot, 'test/fixtures/tasks/README.md'), 'utf8')
  const listed = [...readme.matchAll(/^\| (`.*`) +\|/gm)].flatMap(([, names]) => {
    return [...names!.matchAll(/`(.*?)`/g)].map(([, name]) => name!)
  })
  t.same(listed.sort(), pages.names)
  t.ok(pages.names.length >= 25)
})

t.test('tasks in three sessions side by side, in sequence within each', async (t) => {
  const waiting = [...inLine]
  await Promise.all([1, 2, 3].map(() => solveInLine(t, waiting, headless)))
})

t.test('tasks on a desktop', (t) => solveInLine(t, [...headful], {}))

t.test('tasks with their own sessions, which end with them', async (t) => {
  for (const name of alone) {
    const { run, id } = await solve(t, name, { more: { session_options: headless } })
    const { session_id } = await tasks.get(id)
    await until('its session has ended', async () => {
      const { body } = await service.rest('GET', `/v1/sessions/${session_id}`)
      return body.data.status === 'completed'
    })
    if (name !== 'login') continue
    const asked = model.exchanges.map(({ request }) => request.raw).join()
    for (const said of [asked, JSON.stringify(await tasks.steps(id)), service.output()]) {
      t.notMatch(said, run.password, 'nobody was told the password')
    }
  }
})

t.test('no request was one a strict provider refuses, or for an unknown path', async (t) => {
  t.same(model.problems, [])
  t.same(model.strayPaths, [])
  t.same(pages.strayed, [])
})
