/**
 * Goal: web tasks through the contract's official SDK, unmodified: its `agent` and its `tools`,
 * with steps as they happen. The model is scripted and on loopback; everything else is the real
 * service.
 */
import Anchorbrowser, { BadRequestError, UnprocessableEntityError } from 'anchorbrowser'
import t from 'tap'
import type { StepRecord, TaskRecord } from '../../../proto/task/task.ts'
import {
  call,
  inTurn,
  type ModelScript,
  type ScriptedAnswer,
} from '../../helpers/models/answers.ts'
import { startTaskService } from '../../helpers/tasks/service.ts'
import { until } from '../../helpers/lib/until.ts'
import { serveWebPage } from '../../helpers/pages/web-page.ts'

const site = await serveWebPage('<title>Prices</title><h1>Tea</h1><p>Tea costs 3 €</p>')
t.teardown(() => site.close())
const { model, service } = await startTaskService(t)
const client = new Anchorbrowser({ apiKey: service.key, baseURL: service.baseUrl })

const prompt = 'What does tea cost?'
const sessionOptions = { browser: { headless: { active: true } } }
const look = call('find', { text: 'Tea', note: 'Where is the price?' })
const done = call('done', { success: true, answer: 'Tea costs 3 €' })
const result = { success: true, result: 'Tea costs 3 €' }

/** Gives these answers in order, and the final check's answer whenever that is asked. */
function answering(...answers: readonly (ScriptedAnswer | ModelScript)[]): ModelScript {
  const next = inTurn(...answers)
  const verdict = call('verdict', { accomplished: true, missing: '' })
  return (request) =>
    request.tools.some(({ name }) => name === 'verdict') ? verdict : next(request)
}

t.test('agent.task: in its own session, with an event for each step', async (t) => {
  model.answerWith(answering(look, done))
  const told: TaskRecord[] = []
  const answer = await client.agent.task(prompt, {
    sessionOptions,
    taskOptions: {
      url: site.url,
      maxSteps: 5,
      onAgentStep: (record: unknown) => void told.push(record as TaskRecord),
    },
  })
  t.match(answer, { data: { result } })
  const steps = told.filter((record): record is StepRecord => record.type === 'step')
  t.match(steps, [
    {
      n: 1,
      reason: 'Where is the price?',
      page: { url: site.url, title: 'Prices' },
      actions: [{ tool: 'find', outcome: 'done', text: /Tea/ }],
      provider: 'compatible',
    },
    { n: 2 },
  ])
  const { data } = await client.sessions.retrieve(steps[0]!.session_id)
  t.equal(data!.status, 'running', 'a session that was there is left as it is')
  await client.sessions.all.delete()
})

t.test('agent.task: in an existing session, with all options of the SDK', async (t) => {
  let asked = ''
  const schema = { type: 'object', properties: { price: { type: 'string' } }, required: ['price'] }
  model.answerWith(
    answering((request) => {
      asked = request.user
      return call('done', { success: true, result: { price: '3 €' } })
    }),
  )
  const { data: session } = await client.sessions.create(sessionOptions)
  const answer = await client.agent.task(prompt, {
    sessionId: session!.id!,
    taskOptions: {
      url: site.url,
      outputSchema: schema,
      extendedSystemMessage: 'Answer in euros.',
      secretValues: { password: 'correct horse battery' },
      humanIntervention: false,
      detectElements: true,
      highlightElements: false,
      directlyOpenUrl: true,
      agent: 'browser-use',
      model: 'another-model',
    },
  })
  t.match(answer, { data: { result: { price: '3 €' } } })
  t.match(asked, /Answer in euros\./)
  t.match(asked, /password/)
  t.notMatch(model.exchanges.map(({ request }) => request.raw).join(), /correct horse/)
  t.equal(model.exchanges.at(-1)!.request.model, 'another-model')
  await client.sessions.all.delete()
})

t.test('agent.browserTask: the browser is available while the task works', async (t) => {
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  const heldAnswer: ModelScript = async () => {
    await held
    return done
  }
  model.answerWith(answering(heldAnswer))
  const { sessionId, taskResultPromise, playwrightBrowser } = await client.agent.browserTask(
    prompt,
    { sessionOptions, taskOptions: { url: site.url } },
  )
  t.match(sessionId, /^ses_/)
  const [page] = playwrightBrowser.contexts()[0]!.pages()
  t.equal(await page!.title(), 'Prices')
  release()
  t.match(await taskResultPromise, { data: { result } })
  await playwrightBrowser.close()
  await client.sessions.all.delete()
})

t.test('tools.performWebTask: without a session it gets one that ends with it', async (t) => {
  model.answerWith(answering(look, done))
  const answer = await client.tools.performWebTask({ prompt })
  t.match(answer, { data: { result } })
  await until('its session has ended', async () => {
    const { items } = (await client.sessions.all.status()).data!
    return items!.every(({ status }) => status === 'completed')
  })
})

t.test('tools.performWebTask: async, then polled', async (t) => {
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  model.answerWith(
    answering(look, async () => {
      await held
      return done
    }),
  )
  const body = { prompt, async: true } as { prompt: string }
  const { data } = (await client.tools.performWebTask(body)) as unknown as {
    data: { id: string; workflow_id: string; status: string }
  }
  t.match(data, { id: data.workflow_id, status: 'running' })
  const status = async () => (await client.tools.getPerformWebTaskStatus(data.workflow_id)).data
  t.same(await status(), { status: 'RUNNING' })
  release()
  await until('it is over', async () => (await status()).status !== 'RUNNING')
  t.same(await status(), { status: 'COMPLETED', result })
})

t.test('failures and refusals are of the SDK’s error classes', async (t) => {
  const failure = async (promise: Promise<unknown>) =>
    promise.then(
      () => t.fail('it did not fail'),
      (error: unknown) => error,
    )
  model.answerWith({ kind: 'http', status: 401, body: { error: { message: 'No such key.' } } })
  const failed = await failure(client.tools.performWebTask({ prompt }))
  t.ok(failed instanceof UnprocessableEntityError)
  t.match(failed, { error: { error: { type: 'task_failed', reason: 'provider_auth' } } })
  const other = await failure(client.tools.performWebTask({ prompt, agent: 'openai-cua' }))
  t.ok(other instanceof BadRequestError)
  t.match(other, { error: { error: { type: 'unsupported_option', option: 'agent' } } })
  const unset = await failure(client.tools.performWebTask({ prompt, provider: 'gemini' }))
  t.match(unset, { error: { error: { message: /no credential for gemini/ } } })
})
