/** Goal: what tasks do and cost is counted, failures too. Method: models that answer as told. */
import t from 'tap'
import { TaskMeter } from '../../../../actors/task/task-meter.ts'
import {
  ModelFailure,
  type ModelChoice,
  type ModelRequest,
  type TaskModel,
} from '../../../../actors/task/models/model.ts'
import type { StateRecord, StepRecord } from '../../../../proto/task/task.ts'

const usage = { inputTokens: 100, cachedTokens: 40, outputTokens: 7, costUsd: 0.5 }
const choice: ModelChoice = {
  ...{ tenant: 'acme', provider: 'openai' },
  task: { id: 'tsk_1', sessionId: 'ses_1', epoch: 1, expiresAtMs: 0 },
}
const request = { question: 'q' } as ModelRequest
const { signal } = new AbortController()

function meteredModel(ask: TaskModel['ask'], meter = new TaskMeter()) {
  const model: TaskModel = { provider: 'openai', model: 'gpt', ask }
  return { meter, models: meter.metered({ open: async () => model }) }
}

t.test('answers are counted with their tokens and cost', async (t) => {
  const answer = { text: '', calls: [], usage, model: 'gpt' }
  const { meter, models } = meteredModel(async () => answer)
  const model = await models.open(choice)
  t.match(model, { provider: 'openai', model: 'gpt' })
  t.equal(await model.ask(request, signal), answer)
  await model.ask(request, signal)
  t.match(meter.report(), {
    modelRequests: 2,
    modelFailures: {},
    tokens: { input: 200, cached: 80, output: 14 },
    costUsd: 1,
  })
})

t.test('an answer that cannot be used costs as well, and is counted by its kind', async (t) => {
  const failure = new ModelFailure('truncated', 'Too long.', { usage })
  const { meter, models } = meteredModel(() => Promise.reject(failure))
  const model = await models.open(choice)
  await t.rejects(model.ask(request, signal), failure)
  t.match(meter.report(), { modelRequests: 1, modelFailures: { truncated: 1 }, costUsd: 0.5 })
})

t.test('a provider without a credential is a failure without a request', async (t) => {
  const meter = new TaskMeter()
  const failure = new ModelFailure('auth', 'No credential.')
  const models = meter.metered({ open: () => Promise.reject(failure) })
  await t.rejects(models.open(choice), failure)
  t.match(meter.report(), { modelRequests: 0, modelFailures: { auth: 1 } })
})

t.test('an error that is not the model’s is passed on uncounted', async (t) => {
  const { meter, models } = meteredModel(() => Promise.reject(new Error('a bug')))
  await t.rejects((await models.open(choice)).ask(request, signal), /a bug/)
  t.same(meter.report().modelFailures, {})
})

t.test('steps and ends are counted as they are published', async (t) => {
  const meter = new TaskMeter()
  meter.published({ type: 'step' } as StepRecord)
  meter.published({ type: 'state', state: 'paused' } as StateRecord)
  meter.published({ type: 'state', end: 'loop' } as StateRecord)
  meter.published({ type: 'state', end: 'loop' } as StateRecord)
  t.match(meter.report(), { steps: 1, ends: { loop: 2 } })
})
