// Goal: a task through the whole service: a real browser, a scripted model on loopback; steps, states
// and pictures as the world sees them. Method: fixtures/tasks, solved by a policy that reads the page.
import t from 'tap'
import type { StateRecord, StepRecord, TaskState, TaskView } from '../../proto/task.ts'
import type { TaskReply } from '../../proto/task-reply.ts'
import { subjects } from '../../proto/subjects.ts'
import { openInsider } from '../helpers/insider.ts'
import { serveModel } from '../helpers/model-server.ts'
import { policyModel } from '../helpers/policy-model.ts'
import { createSession, headless, startService } from '../helpers/service.ts'
import { serveTasks } from '../helpers/task-pages.ts'
import { until } from '../helpers/until.ts'

const model = await serveModel(policyModel)
const pages = await serveTasks()
const service = await startService({
  env: { AI_PROVIDER: 'compatible', COMPATIBLE_BASE_URL: model.baseUrl, AI_MODEL: 'policy' },
})
const { directory, store, close } = await openInsider(service.dataDir)
t.teardown(async () => {
  await close()
  await service.stop()
  await pages.close()
  await model.close()
})

const path = '/v1/tools/perform-web-task'
interface Answer {
  readonly data: TaskView & {
    readonly id: string
    readonly status: string
    readonly result: object
  }
  readonly error?: { readonly message: string }
}

async function recordsOf<R>(subject: string): Promise<R[]> {
  const records: R[] = []
  for await (const { data } of store.steps.read(subject)) {
    records.push(JSON.parse(Buffer.from(data).toString()) as R)
  }
  return records
}

async function ordered(name: string, more: object = {}) {
  const run = pages.run(name)
  const answer = await service.rest<Answer>('POST', path, {
    prompt: run.goal,
    url: run.url,
    session_options: headless,
    allow_private_network: true,
    ...more,
  })
  return { run, answer }
}

t.test('a task is solved, and every step of it is told with its picture', async (t) => {
  const { run, answer } = await ordered('sign-up')
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

interface Started {
  readonly data: { readonly id: string }
}

/** Runs in a session that is there. */
async function begun(sessionId: string, more: object): Promise<string> {
  const body = { async: true, allow_private_network: true, ...more }
  const answer = await service.rest<Started>('POST', `${path}?sessionId=${sessionId}`, body)
  t.equal(answer.status, 200)
  return answer.body.data.id
}

/** As its actor has it. */
const viewOf = async (id: string) => {
  const { view } = await directory.ask<TaskReply>('task', id, { type: 'get' })
  return view
}
const isIn = (id: string, ...states: readonly TaskState[]) =>
  until(`the task is ${states.join(' or ')}`, async () => states.includes((await viewOf(id)).state))

t.test('tasks of one session wait for their turn, and leave it running', async (t) => {
  const session = await createSession(service.rest)
  const [first, second] = [pages.run('wizard'), pages.run('sign-up')]
  const ids = [
    await begun(session.id, { prompt: first.goal, url: first.url }),
    await begun(session.id, { prompt: second.goal, url: second.url }),
  ]
  t.equal((await viewOf(ids[1]!)).state, 'queued')
  for (const id of ids) await isIn(id, 'completed')
  t.ok(first.isSolved() && second.isSolved())
  const [before, after] = await Promise.all(ids.map(viewOf))
  t.ok(after!.startedAtMs! >= before!.endedAtMs! - 50, 'one after the other')
  const left = await service.rest('GET', `/v1/sessions/${session.id}`)
  t.equal(left.body.data.status, 'running')
  await service.rest('DELETE', `/v1/sessions/${session.id}`)
})

t.test('a cancel in the middle of a question hangs up on the model', async (t) => {
  const session = await createSession(service.rest)
  const asked = model.exchanges.length
  model.answerWith(() => new Promise(() => undefined))
  const id = await begun(session.id, { prompt: 'Wait' })
  await until('the model is asked', () => model.exchanges.length > asked)
  const at = performance.now()
  await service.rest('POST', `${path}/${id}/cancel`)
  await until('it hung up', () => model.exchanges.at(-1)?.outcome === 'client_gone')
  await isIn(id, 'cancelled')
  t.comment(`cancelled after ${Math.round(performance.now() - at)} ms`)
  model.answerWith(policyModel)
  await service.rest('DELETE', `/v1/sessions/${session.id}`)
})

t.test('a task ends with its session, and says so', async (t) => {
  const session = await createSession(service.rest)
  model.answerWith(() => new Promise(() => undefined))
  const id = await begun(session.id, { prompt: 'Wait' })
  await isIn(id, 'deciding')
  await service.rest('DELETE', `/v1/sessions/${session.id}`)
  await isIn(id, 'failed')
  t.match(await viewOf(id), { end: 'session_ended', error: /deleted/ })
  model.answerWith(policyModel)
})
