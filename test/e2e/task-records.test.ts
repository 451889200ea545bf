// Goal: what a task did is told in full: steps without a gap, each with its picture, and its states.
// Method: the whole service, a real browser, a page of fixtures/tasks, solved by the scripted policy.
import t from 'tap'
import type { StateRecord, StepRecord } from '../../proto/task.ts'
import { subjects } from '../../proto/subjects.ts'
import { openInsider } from '../helpers/insider.ts'
import { serveModel } from '../helpers/model-server.ts'
import { policyModel } from '../helpers/policy-model.ts'
import { headless, startService } from '../helpers/service.ts'
import { serveTasks } from '../helpers/task-pages.ts'
import { until } from '../helpers/until.ts'

const model = await serveModel(policyModel)
const pages = await serveTasks()
const service = await startService({
  env: { AI_PROVIDER: 'compatible', COMPATIBLE_BASE_URL: model.baseUrl, AI_MODEL: 'policy' },
})
const { store, close } = await openInsider(service.dataDir)
t.teardown(async () => {
  await close()
  await service.stop()
  await pages.close()
  await model.close()
})

interface Answer {
  readonly data: { readonly id: string }
  readonly error?: { readonly message: string }
}

async function recordsOf<R>(subject: string): Promise<R[]> {
  const records: R[] = []
  for await (const { data } of store.steps.read(subject)) {
    records.push(JSON.parse(Buffer.from(data).toString()) as R)
  }
  return records
}

t.test('a task is solved, and every step of it is told with its picture', async (t) => {
  const run = pages.run('sign-up')
  const answer = await service.rest<Answer>('POST', '/v1/tools/perform-web-task', {
    prompt: run.goal,
    url: run.url,
    session_options: headless,
    allow_private_network: true,
  })
  t.equal(answer.status, 200, answer.body.error?.message ?? '')
  t.ok(run.isSolved(), JSON.stringify(run.told))
  const { id } = answer.body.data
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
    (await states()).map(({ n, state }) => `${n} ${state}`),
    ['1 acquiring', '2 observing', '3 completed'],
  )
  const session = await service.rest('GET', `/v1/sessions/${id.replace('tsk_', 'ses_')}`)
  t.match(session.body.data, { status: 'completed' }, 'the session made for it has ended')
})

t.test('the final check sees a picture where a decision would, and keeps none', async (t) => {
  for (const vision of ['always', 'never'] as const) {
    const run = pages.run('injected')
    const before = model.exchanges.length
    const answer = await service.rest<Answer>('POST', '/v1/tools/perform-web-task', {
      prompt: run.goal,
      url: run.url,
      vision,
      session_options: headless,
      allow_private_network: true,
    })
    t.equal(answer.status, 200, answer.body.error?.message ?? '')
    const asked = model.exchanges.slice(before).map(({ request }) => request)
    t.equal(asked.at(-1)!.tools[0]!.name, 'verdict')
    const most = vision === 'always' ? 1 : 0
    t.ok(asked.every(({ pictures }) => pictures.length === most))
    const { id } = answer.body.data
    const { length } = await recordsOf<StepRecord>(subjects.taskStep(id))
    t.notOk(await store.pictures.last(subjects.taskPicture(id, length + 1)))
  }
})
