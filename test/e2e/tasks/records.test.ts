// Goal: a task is recorded completely: its steps without a gap, each with its picture, and its
// states. Method: the whole service, a real browser, a page of fixtures/tasks, solved by the
// scripted policy.
import t from 'tap'
import type { StateRecord, StepRecord, TaskRecord } from '../../../proto/task/task.ts'
import { subjects } from '../../../proto/subjects.ts'
import { openInsider } from '../../helpers/service/insider.ts'
import { policyModel } from '../../helpers/models/policy-model.ts'
import { headless } from '../../helpers/service/service.ts'
import { serveTasks, type TaskRun } from '../../helpers/pages/task-pages.ts'
import { readRecords } from '../../helpers/tasks/records.ts'
import { startTaskService } from '../../helpers/tasks/service.ts'
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
