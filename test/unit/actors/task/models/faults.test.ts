// Goal: whatever goes wrong with a model, the task learns at once what it was and what to do,
// without a key in it. Method: a scripted server fails in each known way; the errors are searched
// for the key, down to the last property.
import { inspect } from 'node:util'
import t from 'tap'
import type { ModelFailureKind } from '../../../../../proto/task/model-failure.ts'
import { AccessFailure } from '../../../../../runtime/accounts/credentials/source.ts'
import {
  call,
  callAll,
  faults,
  say,
  type ScriptedAnswer,
} from '../../../../helpers/models/answers.ts'
import { openModelSetup, question, testKey } from '../../../../helpers/models/setup.ts'
import { serveModel } from '../../../../helpers/models/server.ts'
import { until } from '../../../../helpers/lib/until.ts'
import { SimProcess, Timeline } from '../../../../sim/world/clock.ts'
import { taskRunLimits } from '../../../../../actors/task/limits.ts'

interface Case {
  readonly answer: ScriptedAnswer
  readonly kind: ModelFailureKind
  readonly retryAfterMs?: number
  /** What the message has to contain. */
  readonly says?: RegExp
}

const refusal = (
  status: number,
  body: Readonly<Record<string, unknown>> | string,
): ScriptedAnswer => ({
  kind: 'http',
  status,
  body,
})
const clicks = [{ name: 'click', arguments: { ref: 'e1' } }]

const cases: Readonly<Record<string, Case>> = {
  '429': { answer: faults.rateLimited(), kind: 'rate_limited', says: /Rate limit reached/ },
  '429 with retry-after': {
    answer: faults.rateLimited({ seconds: 90 }),
    kind: 'rate_limited',
    retryAfterMs: 90_000,
  },
  '429 with retry-after-ms': {
    answer: faults.rateLimited({ seconds: 2, ms: 1_250 }),
    kind: 'rate_limited',
    retryAfterMs: 1_250,
  },
  '429 with words': {
    answer: refusal(429, { error: { message: 'Please try again in 1m2.5s. Visit the page.' } }),
    kind: 'rate_limited',
    retryAfterMs: 62_500,
  },
  '429 of Gemini, which sends a list': {
    answer: refusal(
      429,
      JSON.stringify([
        {
          error: {
            code: 429,
            message: 'You exceeded your current quota.',
            details: [{ retryDelay: '37s' }],
          },
        },
      ]),
    ),
    kind: 'rate_limited',
    retryAfterMs: 37_000,
    says: /exceeded your current quota/,
  },
  'retry-after without reason': {
    answer: { ...faults.rateLimited(), headers: { 'retry-after': '1e300' } } as ScriptedAnswer,
    kind: 'rate_limited',
    retryAfterMs: Number.MAX_SAFE_INTEGER,
  },
  'an exhausted quota': { answer: faults.quotaExhausted(), kind: 'rejected', says: /billing/ },
  'a request that is too large for the minute': {
    answer: refusal(429, { error: { message: 'Request too large for gpt-4o on tokens per min' } }),
    kind: 'context_length',
  },
  '401': {
    answer: faults.badKey(testKey),
    kind: 'auth',
    says: /npm run troupe -- credentials set compatible/,
  },
  '401 that repeats a part of the key': {
    answer: faults.badKey(`${testKey.slice(0, 12)}******${testKey.slice(-4)}`),
    kind: 'auth',
  },
  '400 for a bad key, as Gemini': {
    answer: refusal(400, { error: { message: 'API key not valid. Please pass a valid API key.' } }),
    kind: 'auth',
  },
  '402': { answer: refusal(402, { error: { message: 'Insufficient credits' } }), kind: 'rejected' },
  '403': { answer: faults.forbidden(), kind: 'auth', says: /territory not supported/ },
  '404': {
    answer: faults.modelNotFound('scripted'),
    kind: 'not_found',
    says: /Name a model.*"scripted"/,
  },
  '404 in plain text': { answer: refusal(404, '404 page not found'), kind: 'not_found' },
  'too long, OpenAI': { answer: faults.contextLength(), kind: 'context_length' },
  'too long, Anthropic': { answer: faults.contextLength('anthropic'), kind: 'context_length' },
  'too long, Gemini': { answer: faults.contextLength('gemini'), kind: 'context_length' },
  'too long, Groq': { answer: faults.contextLength('groq'), kind: 'context_length' },
  'too long, Ollama': { answer: faults.contextLength('ollama'), kind: 'context_length' },
  '413': { answer: refusal(413, ''), kind: 'context_length' },
  '400': {
    answer: faults.badRequest('messages: field required'),
    kind: 'rejected',
    says: /said \(400\): "messages: field required"/,
  },
  '400 of an upstream, through a router': {
    answer: refusal(400, {
      error: { message: 'Provider returned error', metadata: { raw: 'prompt is too long' } },
    }),
    kind: 'context_length',
  },
  '400 of a filter': {
    answer: refusal(400, { error: { code: 'content_filter', message: 'The prompt was filtered' } }),
    kind: 'refused',
  },
  tool_use_failed: { answer: faults.toolUseFailed(), kind: 'malformed' },
  '500': { answer: faults.serverError(), kind: 'overloaded' },
  '502 of a proxy': { answer: faults.badGateway(), kind: 'overloaded', says: /refused \(502\)/ },
  '503': { answer: refusal(503, { error: 'busy' }), kind: 'overloaded', says: /"busy"/ },
  'a reset before headers': { answer: faults.resetBeforeHeaders(), kind: 'network' },
  'a reset in the stream': { answer: faults.resetMidStream(), kind: 'network', says: /broke off/ },
  'an end before the end': { answer: faults.endsEarly(), kind: 'network', says: /broke off/ },
  'an error in the stream': {
    answer: faults.errorInStream('Upstream idle', 502),
    kind: 'overloaded',
    says: /Upstream idle/,
  },
  'a limit in the stream': { answer: faults.errorInStream('slow down', 429), kind: 'rate_limited' },
  'an event that is no JSON': {
    answer: { kind: 'http', status: 200, body: 'data: {"choices": [{\n\n' },
    kind: 'malformed',
  },
  'an error with 200': {
    answer: refusal(200, { error: { code: 429, message: 'Rate limited upstream' } }),
    kind: 'rate_limited',
  },
  length: { answer: faults.outOfTokens('type'), kind: 'truncated' },
  content_filter: { answer: faults.filtered(), kind: 'refused' },
  'a call that the provider could not read': {
    answer: say('', { finish: 'function_call_filter: MALFORMED_FUNCTION_CALL' }),
    kind: 'malformed',
  },
  'no choices': { answer: faults.emptyChoices(), kind: 'empty' },
  'nothing in it': { answer: faults.nothing(), kind: 'empty' },
  'an argument of 1 MB': { answer: faults.hugeArguments('type'), kind: 'malformed' },
  'a text of 1 MB': { answer: say('x'.repeat(1024 * 1024)), kind: 'malformed' },
  'an answer without end': { answer: faults.endless('type'), kind: 'malformed' },
  'more calls than anybody needs': {
    answer: callAll(Array.from({ length: 1_000 }, () => clicks[0]!)),
    kind: 'malformed',
  },
  'one event without end': {
    answer: {
      kind: 'http',
      status: 200,
      body: `data: ${'x'.repeat(2 * taskRunLimits.modelEventBytes)}`,
    },
    kind: 'malformed',
  },
  'a refusal of 1 MB': { answer: refusal(400, 'x'.repeat(1024 * 1024)), kind: 'rejected' },
  'a web page': { answer: faults.webPage(), kind: 'rejected', says: /web page.*\/v1/ },
}

for (const [name, { answer, kind, retryAfterMs, says }] of Object.entries(cases)) {
  t.test(`${name}: ${kind}`, async (t) => {
    const printed = t.capture(console, 'error')
    const desk = await openModelSetup(t, answer)
    const failure = await desk.failure()
    t.equal(failure.kind, kind)
    t.equal(failure.retryAfterMs, retryAfterMs)
    t.match(failure.message, says ?? /\.$/)
    t.ok(failure.message.length < 2 * taskRunLimits.modelExcerptChars, 'it is bounded')
    t.notOk(failure.message.includes('\n'), 'it is one line')
    const everything = inspect(failure, { depth: 10, showHidden: true })
    t.notOk(everything.includes(testKey.slice(0, 12)), 'nothing of the key')
    t.notOk(everything.includes(testKey.slice(-12)), 'nothing of its end either')
    t.notMatch(everything, /Bearer|\*\*\*/)
    t.same(printed(), [], 'nothing is printed')
    t.equal(desk.server.exchanges.length, 1, 'it is not asked again: the machine decides that')
  })
}

t.test('it stops reading an answer that has become too long', async (t) => {
  const bytes = 16 * 1024 * 1024
  for (const answer of [
    faults.endless('type'),
    faults.hugeArguments('type', bytes),
    refusal(400, 'x'.repeat(bytes)),
    faults.badRequest('x'.repeat(bytes)),
  ]) {
    const desk = await openModelSetup(t, answer)
    await desk.failure()
    const exchange = desk.server.exchanges[0]!
    await until('the connection is closed', () => exchange.outcome === 'client_gone')
    t.ok(exchange.bytesSent < bytes)
  }
})

t.test('a useless answer is counted as paid for', async (t) => {
  const usage = { input: 900, output: 100 }
  const answer = call('type', '{"te', { finish: 'length', usage })
  const { usage: paid } = await (await openModelSetup(t, answer)).failure()
  t.match(paid, { inputTokens: 900, outputTokens: 100 })
})

t.test('a cancelled task closes the connection, wherever the answer is', async (t) => {
  const faultsOfTime = {
    'before headers': faults.stallBeforeHeaders(),
    'after headers': faults.stallAfterHeaders(),
    'in the stream': faults.stallMidStream(),
    'while it streams': faults.endless('type'),
  }
  for (const [when, fault] of Object.entries(faultsOfTime)) {
    const desk = await openModelSetup(t, fault)
    const task = new AbortController()
    const asked = desk.ask(question(), task.signal)
    const watched = t.rejects(asked, { message: 'the task is cancelled' })
    const exchange = await until('it is asked', () => desk.server.exchanges[0])
    if (when.endsWith('stream')) await until('a part is there', () => exchange.bytesSent > 0)
    task.abort(new Error('the task is cancelled'))
    await watched
    await until('the connection is closed', () => exchange.outcome === 'client_gone')
    t.pass(when)
  }
})

t.test('a cancelled task does not wait for a token, and sends no request', async (t) => {
  const desk = await openModelSetup(t, say('Hi.'), {
    access: { token: () => new Promise(() => {}) },
  })
  const task = new AbortController()
  const asked = desk.ask(question(), task.signal)
  task.abort(new Error('the task is cancelled'))
  await t.rejects(asked, { message: 'the task is cancelled' })
  await t.rejects(desk.ask(question(), task.signal), { message: 'the task is cancelled' })
  t.same(desk.server.exchanges, [])
})

t.test('silence is detected by its own timer, and the connection is closed', async (t) => {
  const stalls = {
    'before headers': faults.stallBeforeHeaders(),
    'after headers': faults.stallAfterHeaders(),
    'in the stream': faults.stallMidStream(),
  }
  for (const [when, fault] of Object.entries(stalls)) {
    const timeline = new Timeline()
    const { clock } = new SimProcess(timeline, 'models')
    const desk = await openModelSetup(t, fault, { patience: { clock } })
    const failed = desk.failure()
    const exchange = await until('it is asked', () => desk.server.exchanges[0])
    if (when === 'in the stream') await until('a part is there', () => exchange.bytesSent > 0)
    await timeline.run(taskRunLimits.modelSilenceMs - 1)
    t.equal(exchange.outcome, 'open', `${when}: patience is not over`)
    // What has arrived so far may have arrived within this time.
    await until('it has been silent for long', async () => {
      await timeline.run(taskRunLimits.modelSilenceMs / 2)
      return exchange.outcome === 'client_gone'
    })
    const failure = await failed
    t.equal(failure.kind, 'stalled')
    t.match(failure.message, /sent nothing for 120 seconds/)
  }
})

t.test('an answer that drips without an end is given up as well', async (t) => {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'models')
  const patience = { clock, silenceMs: 2 * taskRunLimits.modelCallMs }
  const desk = await openModelSetup(t, faults.stallMidStream(), { patience })
  const failed = desk.failure()
  const exchange = await until('it is asked', () => desk.server.exchanges[0])
  await until('a part is there', () => exchange.bytesSent > 0)
  await timeline.run(taskRunLimits.modelCallMs)
  t.match(await failed, { kind: 'stalled', message: /did not finish/ })
  await until('the connection is closed', () => exchange.outcome === 'client_gone')
})

t.test('a key does not follow a redirect', async (t) => {
  const elsewhere = await serveModel(say('Welcome.'))
  t.teardown(() => elsewhere.close())
  for (const status of [301, 302, 307, 308]) {
    const desk = await openModelSetup(
      t,
      faults.redirect(`${elsewhere.baseUrl}/chat/completions`, status),
    )
    const failure = await desk.failure()
    t.match(failure, { kind: 'rejected', message: /redirects to http.*final address/ })
    t.match(failure.message, elsewhere.origin)
  }
  t.same(elsewhere.exchanges, [])
})

t.test('a URL where nothing listens is reported', async (t) => {
  const server = await serveModel(say('Hi.'))
  const { baseUrl } = server
  await server.close()
  const desk = await openModelSetup(t, say('Hi.'), { access: { baseUrl } })
  t.match(await desk.failure(), {
    kind: 'network',
    message: new RegExp(`cannot be reached at ${new URL(baseUrl).host} \\(ECONNREFUSED\\)`),
  })
})

t.test('a tenant’s URL with an internal address is not retried', async (t) => {
  const fenced: typeof fetch = async () => {
    const reason = Object.assign(new Error('10.0.0.1 leads into a private network'), {
      name: 'NotPublic',
    })
    throw new TypeError('fetch failed', { cause: reason })
  }
  const desk = await openModelSetup(t, say('Hi.'), { access: { fetch: fenced } })
  t.match(await desk.failure(), { kind: 'rejected', message: /leads into a private network/ })
})

t.test('a token that cannot be obtained is reported', async (t) => {
  const failing = (kind: 'auth' | 'unavailable') => ({
    access: { token: () => Promise.reject(new AccessFailure(kind, 'Log in again.')) },
  })
  const gone = await (await openModelSetup(t, say('Hi.'), failing('auth'))).failure()
  t.match(gone, { kind: 'auth', message: 'Log in again.' })
  const later = await (await openModelSetup(t, say('Hi.'), failing('unavailable'))).failure()
  t.equal(later.kind, 'network')
})
