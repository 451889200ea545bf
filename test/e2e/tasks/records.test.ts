// Goal: a task is recorded completely: its steps without a gap, each with its picture, and its
// states. Method: the whole service, a real browser, a page of fixtures/tasks, solved by the
// scripted policy.
import t from 'tap'
import type { StateRecord, StepRecord, TaskRecord } from '../../../proto/task/task.ts'
import { decode } from '../../../proto/codec.ts'
import { buckets, streams, subjects, viewKey } from '../../../proto/subjects.ts'
import type { ViewRecord } from '../../../runtime/actor/views.ts'
import { openInsider } from '../../helpers/service/insider.ts'
import { policyModel } from '../../helpers/models/policy-model.ts'
import { headless } from '../../helpers/service/service.ts'
import { serveTasks, type TaskRun } from '../../helpers/pages/task-pages.ts'
import { readRecords } from '../../helpers/tasks/records.ts'
import { startTaskService } from '../../helpers/tasks/service.ts'
import type { TraceStep } from '../../../gateway/traces/trace-lines.ts'
import { until } from '../../helpers/lib/until.ts'

const pages = await serveTasks(t)
const { model, service, tasks } = await startTaskService(t, policyModel)
const { store, close } = await openInsider(service.dataDir)
t.teardown(close)

const orderOf = ({ goal, url }: TaskRun) => ({
  prompt: goal,
  url,
  session_options: headless,
  allow_private_network: true,
})

const recordsOf = <R extends TaskRecord>(subject: string) => readRecords<R>(store.steps, subject)

t.test('a task is solved, and each of its steps is recorded with its picture', async (t) => {
  const run = pages.run('sign-up')
  const { id } = await tasks.perform(orderOf(run))
  t.ok(run.isSolved(), JSON.stringify(run.told))
  const steps = await recordsOf<StepRecord>(subjects.taskStep(id))
  t.ok(steps.length > 2)
  t.same(
    steps.map(({ n }) => n),
    steps.map((_, i) => i + 1),
  )
  for (const { n, screenshot } of steps) {
    t.match(screenshot, `/${id}/steps/${n}/`)
    const picture = await store.pictures.last(subjects.taskPicture(id, n))
    t.same([...picture!.data.subarray(0, 2)], [0xff, 0xd8], 'a JPEG')
  }
  const view = await store.bucket(buckets.views).get(viewKey('task', 'default', id))
  const { elsewhereBytes } = decode<ViewRecord>(view!.value)
  t.ok((elsewhereBytes?.[streams.steps] ?? 0) > 100 * steps.length, 'its tenant is charged')
  t.ok((elsewhereBytes?.[streams.pictures] ?? 0) > 1_000 * steps.length)
  const states = () => recordsOf<StateRecord>(subjects.taskState(id))
  await until('its end is told', async () => (await states()).at(-1)?.state === 'completed')
  t.same(
    // On a busy machine, the scripted model may take longer than two seconds.
    (await states()).filter(({ waiting }) => !waiting).map(({ state }) => state),
    ['acquiring', 'observing', 'completed'],
  )
  await until('the session made for it has ended', async () => {
    const { body } = await service.rest('GET', `/v1/sessions/${id.replace('tsk_', 'ses_')}`)
    return body.data.status === 'completed'
  })
})

t.test('the final check gets a picture where a decision would, and stores none', async (t) => {
  for (const vision of ['always', 'never'] as const) {
    const run = pages.run('injected')
    const before = model.exchanges.length
    const { id } = await tasks.perform({ ...orderOf(run), vision })
    const asked = model.exchanges.slice(before).map(({ request }) => request)
    t.equal(asked.at(-1)!.tools[0]!.name, 'verdict')
    const most = vision === 'always' ? 1 : 0
    t.ok(asked.every(({ pictures }) => pictures.length === most))
    const { length } = await recordsOf<StepRecord>(subjects.taskStep(id))
    t.notOk(await store.pictures.last(subjects.taskPicture(id, length + 1)))
  }
})

t.test('its trace has each step with its picture, then the commands of its session', async (t) => {
  const run = pages.run('sign-up')
  const session_options = {
    ...headless,
    browser: { ...headless.browser, tracing: { active: true } },
  }
  const { id } = await tasks.perform({ ...orderOf(run), session_options })
  const headers = { authorization: `Bearer ${service.key}` }
  const path = `${service.baseUrl}/v1/tools/perform-web-task/${id}/trace`
  const answer = await fetch(`${path}?format=jsonl`, { headers })
  t.equal(answer.status, 200)
  const lines = (await answer.text()).split('\n').filter((line) => line !== '')
  const parts = lines.map(
    (line) => JSON.parse(line) as Omit<TraceStep, 'type'> & { type: string; task?: unknown },
  )
  t.match(parts[0], { type: 'task', task: { id, prompt: run.goal } })
  const steps = parts.filter(({ type }) => type === 'step')
  t.same(
    steps.map(({ n }) => n),
    (await recordsOf<StepRecord>(subjects.taskStep(id))).map(({ n }) => n),
  )
  for (const { picture } of steps) t.match(picture, /^\/9j\//, 'a JPEG')
  const commands = parts.filter(({ type }) => type === 'command')
  t.ok(commands.length > 2)
  t.ok(commands.every(({ task }) => task === id))
  t.notOk(
    commands.find((command) => 'input' in command),
    'inputs of tasks are left out',
  )
  const page = await (await fetch(path, { headers })).text()
  t.match(page, '<h1>Trace of a task</h1>')
  t.equal(page.split('<article').length - 1, steps.length + commands.length)
})
