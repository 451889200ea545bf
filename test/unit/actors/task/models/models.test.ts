// Goal: every provider is asked in its own way, at its own URL, and all answers are read alike.
// Method: a scripted server stands in for all of them; requests to their real URLs are redirected
// to it and checked.
import { defined } from '../../../../../proto/defined.ts'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { ApiModels } from '../../../../../actors/task/models/api-models.ts'
import { providerPresets } from '../../../../../actors/task/models/presets.ts'
import { apiProviders, type ApiProvider } from '../../../../../proto/accounts/credential.ts'
import { settingsTable } from '../../../../../runtime/config/config.ts'
import { packageRoot } from '../../../../../runtime/lib/package.ts'
import { call, callAll, faults, inTurn, say } from '../../../../helpers/models/answers.ts'
import {
  account,
  onePixel,
  openModelSetup,
  question,
  testKey,
} from '../../../../helpers/models/setup.ts'
import { serveModel } from '../../../../helpers/models/server.ts'

const { signal } = new AbortController()
const picture = { type: 'picture', picture: { mimeType: 'image/png', base64: onePixel } } as const

interface Expected {
  readonly url: string
  readonly baseUrl?: string
  readonly model?: string
  readonly limit: 'max_tokens' | 'max_completion_tokens'
  /** JSON Schema keywords that it must not be sent. */
  readonly refuses?: readonly string[]
}

const strangeToGemini = ['additionalProperties', 'exclusiveMaximum', '$schema']

const expected: Readonly<Record<ApiProvider, Expected>> = {
  openai: {
    url: 'https://api.openai.com/v1/chat/completions',
    model: 'gpt-5.5',
    limit: 'max_completion_tokens',
  },
  anthropic: {
    url: 'https://api.anthropic.com/v1/chat/completions',
    model: 'claude-opus-5-5',
    limit: 'max_tokens',
  },
  gemini: {
    url: 'https://generativelanguage.googleapis.com/v1beta/openai/chat/completions',
    model: 'gemini-flash-latest',
    limit: 'max_tokens',
    refuses: strangeToGemini,
  },
  groq: {
    url: 'https://api.groq.com/openai/v1/chat/completions',
    model: 'openai/gpt-oss-120b',
    limit: 'max_completion_tokens',
  },
  azure: {
    baseUrl: 'https://acme.openai.azure.com/',
    url: 'https://acme.openai.azure.com/openai/v1/chat/completions',
    limit: 'max_completion_tokens',
  },
  xai: {
    url: 'https://api.x.ai/v1/chat/completions',
    model: 'grok-4.5',
    limit: 'max_completion_tokens',
  },
  openrouter: {
    url: 'https://openrouter.ai/api/v1/chat/completions',
    model: 'openrouter/auto',
    limit: 'max_tokens',
    refuses: strangeToGemini,
  },
  ollama: { url: 'http://localhost:11434/v1/chat/completions', limit: 'max_tokens' },
  compatible: {
    baseUrl: 'https://models.example/api/',
    url: 'https://models.example/api/chat/completions',
    limit: 'max_tokens',
    refuses: strangeToGemini,
  },
}

for (const provider of apiProviders) {
  t.test(`${provider}: its URL, its key, its form of a request`, async (t) => {
    const { url, baseUrl, model, limit, refuses = [] } = expected[provider]
    const server = await serveModel(call('click', { ref: 'e1' }), { refusedWords: refuses })
    t.teardown(() => server.close())
    const urls: string[] = []
    const fetchThere: typeof fetch = (input, init) => {
      urls.push(String(input))
      return fetch(new URL(new URL(String(input)).pathname, server.origin), init)
    }
    const key = providerPresets[provider].needsKey ? testKey : ''
    const source = account({
      token: async () => key,
      fetch: fetchThere,
      ...defined({ baseUrl }),
      ...(model === undefined && { model: 'scripted' }),
    })
    const opened = await new ApiModels(source).open({ tenant: 'acme', provider })
    const user = [...question().user, picture]
    const answer = await opened.ask(question({ user }), signal)

    t.same(urls, [url])
    t.same(server.problems, [])
    const { request } = server.exchanges[0]!
    t.equal(request.headers.authorization, key === '' ? undefined : `Bearer ${key}`)
    t.notOk(Object.keys(request.headers).some((name) => /stainless|openai-/.test(name)))
    t.match(request.body, {
      model: model ?? 'scripted',
      stream: true,
      stream_options: { include_usage: true },
      [limit]: 1_000,
    })
    t.same(
      Object.keys(request.body).filter((word) => /temperature|top_p|tool_choice|store/.test(word)),
      [],
    )
    t.equal(request.system, question().system)
    t.match(request.user, /^# Goal\nBuy milk\.\n# Page\n/)
    t.same(request.pictures, [`data:image/png;base64,${onePixel}`])
    t.ok(request.tools[0]?.parameters['properties'], 'the parameters are there')
    t.match(Object.keys(request.tools[0]!.parameters['properties'] as object), ['ref', 'format'])
    t.same(answer.calls, [{ id: 'call_1_1', name: 'click', arguments: '{"ref":"e1"}' }])
    t.equal(answer.model, model ?? 'scripted')
    t.ok(answer.usage.inputTokens > 10 && !answer.usage.estimated)
  })
}

t.test('the table of providers in the README matches the code', async (t) => {
  const path = join(packageRoot, 'actors', 'task', 'models', 'README.md')
  const readme = await readFile(path, 'utf8')
  for (const provider of apiProviders) {
    const { baseUrl, model, quirks } = providerPresets[provider]
    const row = readme.split('\n').find((line) => line.startsWith(`| \`${provider}\` |`)) ?? ''
    const [, , address, account, named, limit] = row.split('|').map((cell) => cell.trim())
    t.match(address, baseUrl === undefined ? /its own/ : `\`${baseUrl}\``)
    t.equal(named, model === undefined ? 'none' : `\`${model}\``)
    t.equal(limit, `\`${quirks.tokenLimitField}\``)
    for (const name of account?.match(/[A-Z_]{4,}/g) ?? ['']) t.ok(name in settingsTable, name)
  }
})

t.test('other settings in the environment are not sent', async (t) => {
  const names = ['OPENAI_ORG_ID', 'OPENAI_PROJECT_ID', 'OPENAI_CUSTOM_HEADERS', 'OPENAI_BASE_URL']
  for (const name of names) process.env[name] = 'x-left: behind'
  t.teardown(() => names.forEach((name) => delete process.env[name]))
  const desk = await openModelSetup(t, say('Hello.'))
  await desk.ask()
  t.notMatch(JSON.stringify(desk.server.exchanges[0]!.request.headers), 'behind')
})

t.test(
  'text alone is sent as one string, and a tool without input in its provider’s form',
  async (t) => {
    const tool = { name: 'go_back', description: 'Goes back.', parameters: { type: 'object' } }
    const desk = await openModelSetup(t, say('Done.'))
    await desk.ask(question({ tools: [tool] }))
    const { body } = desk.server.exchanges[0]!.request
    t.match(body, { messages: [{ role: 'system' }, { content: /^# Goal/ }] })
    t.same(body['tools'], [
      { type: 'function', function: { name: 'go_back', description: 'Goes back.' } },
    ])
  },
)

t.test('calls are told apart however a provider numbers them', async (t) => {
  const calls = [
    { name: 'click', arguments: { ref: 'e1' } },
    { name: 'click', arguments: { ref: 'e2' } },
    { name: 'type', arguments: { ref: 'e3', text: 'in several pieces, since it is long' } },
  ]
  const wanted = calls.map((each) => [each.name, each.arguments])
  const answers = {
    'as they should be': callAll(calls),
    'whole, as Gemini sends them': callAll(calls, { whole: true }),
    'with one id for all': faults.duplicateIds(calls),
    'with no ids': faults.missingIds(calls),
    'whole, all numbered 0': callAll(calls, { whole: true, numbering: 'zero' }),
    'whole, all numbered 0, no ids': {
      ...faults.missingIds(calls),
      whole: true,
      numbering: 'zero' as const,
    },
    'not numbered': callAll(calls, { numbering: 'none' }),
  }
  for (const [how, answer] of Object.entries(answers)) {
    for (const streams of [true, false]) {
      // A refusal convinces it that the server does not stream.
      const script = streams
        ? answer
        : inTurn(faults.badRequest('streaming is not supported with tools'), answer)
      const desk = await openModelSetup(t, script)
      const { calls: read } = await desk.ask()
      t.same(
        read.map((each) => [each.name, JSON.parse(each.arguments)]),
        wanted,
        `${how}, ${streams ? 'streamed' : 'at once'}`,
      )
    }
  }
})

t.test('what the model wrote is passed on unchanged, even if it is cut', async (t) => {
  const desk = await openModelSetup(t, faults.cutArguments('type'))
  const { calls } = await desk.ask()
  t.match(calls, [{ name: 'type', arguments: /half a sen$/ }])
})

t.test('tokens are counted, estimated where no count comes, and priced', async (t) => {
  const usage = { input: 1_000, cached: 600, output: 50 }
  const price = { inputPerMillionUsd: 2, outputPerMillionUsd: 10 }
  const told = await (await openModelSetup(t, say('Hi.', { usage }))).ask()
  t.same(told.usage, { inputTokens: 1_000, cachedTokens: 600, outputTokens: 50 })

  const priced = await (await openModelSetup(t, say('Hi.', { usage }), { access: { price } })).ask()
  t.equal(priced.usage.costUsd, 0.0025)

  const router = { provider: 'openrouter', access: { price } }
  const withCost = say('Hi.', { usage: { ...usage, cost: 0.123 } })
  t.equal((await (await openModelSetup(t, withCost, router)).ask()).usage.costUsd, 0.123)
  t.equal(
    (await (await openModelSetup(t, withCost)).ask()).usage.costUsd,
    undefined,
    'of unknown unit',
  )

  const guess = await (await openModelSetup(t, faults.withoutUsage(say('x'.repeat(400))))).ask()
  t.match(guess.usage, { estimated: true, outputTokens: 100, cachedTokens: 0 })
  t.ok(guess.usage.inputTokens > 50 && guess.usage.inputTokens < 500)
})

t.test('the form of a request is learned from refusals, once for each model', async (t) => {
  const refusals: Readonly<Record<string, (body: Readonly<Record<string, unknown>>) => boolean>> = {
    "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.": (body) =>
      body['max_completion_tokens'] === 1_000 && !('max_tokens' in body),
    'max_tokens is too large: 1000. This model supports at most 512 tokens.': (body) =>
      !('max_tokens' in body),
    'Unrecognized request argument supplied: stream_options': (body) => !('stream_options' in body),
    'Cannot use tools with stream': (body) => body['stream'] !== true,
    'This model does not support image input.': (body) =>
      !JSON.stringify(body).includes('image_url'),
    'No endpoints found that support image input': (body) =>
      !JSON.stringify(body).includes('image_url'),
    'unknown variant `image_url`, expected `text`': (body) =>
      !JSON.stringify(body).includes('image_url'),
    "'messages.1.content' : value must be a string": (body) =>
      typeof (body['messages'] as { content: unknown }[])[1]?.content === 'string',
  }
  for (const [message, isLearned] of Object.entries(refusals)) {
    const desk = await openModelSetup(t, (request) =>
      isLearned(request.body) ? say('Fine.') : faults.badRequest(message),
    )
    const request = question({ user: [...question().user, picture] })
    t.equal((await desk.ask(request)).text, 'Fine.', message)
    t.equal(desk.server.exchanges.length, 2)
    await desk.ask(request)
    t.equal(desk.server.exchanges.length, 3, 'the next one is asked right at once')
  }
  const bad = 'You uploaded an unsupported image. Use one of the supported formats: png, jpeg.'
  const picky = await openModelSetup(t, faults.badRequest(bad))
  const failed = await picky.failure(question({ user: [picture] }))
  t.equal(failed.kind, 'rejected', 'one bad picture does not make a model blind')
  t.equal(picky.server.exchanges.length, 1)
  const stubborn = await openModelSetup(t, (request) =>
    faults.badRequest(
      'stream' in request.body ? 'no stream with tools' : 'no max_tokens, no stream',
    ),
  )
  t.equal((await stubborn.failure()).kind, 'rejected', 'which has an end')
  t.ok(stubborn.server.exchanges.length < 6)
})

t.test('models that take tools only in OpenAI’s other API are asked there', async (t) => {
  const calls = [
    { name: 'click', arguments: { ref: 'e1' } },
    { name: 'click', arguments: { ref: 'another one, in several pieces' } },
  ]
  const usage = { input: 500, cached: 100, output: 20 }
  const desk = await openModelSetup(
    t,
    (request) =>
      request.api === 'chat'
        ? faults.responsesOnly(request.model)
        : callAll(calls, { text: 'I click both.', usage }),
    { provider: 'openai' },
  )
  const asked = question({ user: [...question().user, picture] })
  for (const exchanges of [2, 3]) {
    const answer = await desk.ask(asked)
    t.equal(answer.text, 'I click both.')
    t.same(
      answer.calls.map((each) => [each.name, JSON.parse(each.arguments)]),
      calls.map((each) => [each.name, each.arguments]),
    )
    t.same(answer.usage, { inputTokens: 500, cachedTokens: 100, outputTokens: 20 })
    t.equal(desk.server.exchanges.length, exchanges)
  }
  const { request } = desk.server.exchanges[2]!
  t.match(request.path, /\/v1\/responses$/)
  t.match(request.body, { store: false, max_output_tokens: 1_000, instructions: asked.system })
  t.same(request.pictures, [`data:image/png;base64,${onePixel}`])
  t.match(request.user, /# Goal\nBuy milk/)
  t.same(desk.server.problems, [])

  const whole = await openModelSetup(t, (each) => {
    if (each.api === 'chat') return faults.responsesOnly(each.model)
    return each.stream ? faults.badRequest('stream is not supported') : callAll(calls)
  })
  t.equal((await whole.ask()).calls.length, 2, 'without a stream as well')

  for (const [fault, kind] of [
    [faults.outOfTokens('click'), 'truncated'],
    [faults.filtered(), 'refused'],
    [faults.nothing(), 'empty'],
    [faults.resetMidStream(), 'network'],
    [faults.endsEarly(), 'network'],
    [faults.hugeArguments('click'), 'malformed'],
    [faults.errorInStream('The server had an error', 'server_error'), 'overloaded'],
  ] as const) {
    const failing = await openModelSetup(t, (each) =>
      each.api === 'chat' ? faults.responsesOnly(each.model) : fault,
    )
    t.equal((await failing.failure()).kind, kind)
  }
})

t.test('where that API is missing, the model is told not to reason', async (t) => {
  const desk = await openModelSetup(t, ({ api, model, body }) => {
    if (api === 'responses') return { kind: 'http', status: 404, body: 'not found' }
    return body['reasoning_effort'] === 'none' ? say('Fine.') : faults.responsesOnly(model)
  })
  t.equal((await desk.ask()).text, 'Fine.')
  await desk.ask()
  t.equal(desk.server.exchanges.length, 4)
})

t.test('a server that ignores "stream" is understood', async (t) => {
  const whole = { choices: [{ message: { content: 'All at once.' }, finish_reason: 'stop' }] }
  const desk = await openModelSetup(t, { kind: 'http', status: 200, body: whole })
  t.equal((await desk.ask()).text, 'All at once.')
})

t.test('a router’s comments that keep a connection alive do no harm', async (t) => {
  const desk = await openModelSetup(t, say('At last.', { comments: 5 }))
  t.equal((await desk.ask()).text, 'At last.')
})

t.test('a missing setting is reported before any request', async (t) => {
  const nobody = new ApiModels({ find: async () => undefined, fallback: async () => undefined })
  await t.rejects(nobody.open({ tenant: 'acme', provider: 'groq' }), {
    kind: 'auth',
    message: /no account with Groq.*npm run troupe -- credentials set groq/,
  })
  const models = new ApiModels(account({}))
  const open = (provider: string) => models.open({ tenant: 'acme', provider })
  await t.rejects(open('ollama'), { kind: 'rejected', message: /No model is named.*Ollama/ })
  await t.rejects(open('openia'), { kind: 'rejected', message: /no provider "openia".*acp:/ })
  const withoutAddress = new ApiModels(account({ model: 'scripted' }))
  await t.rejects(withoutAddress.open({ tenant: 'acme', provider: 'azure' }), {
    kind: 'rejected',
    message: /Azure OpenAI needs its own base URL/,
  })
  const withPassword = new ApiModels(account({ baseUrl: 'https://me:secret@models.example' }))
  await t.rejects(withPassword.open({ tenant: 'acme', provider: 'openai' }), {
    message: /base URL/,
  })
})

t.test('each request has a fresh token', async (t) => {
  let n = 0
  const desk = await openModelSetup(t, say('Hi.'), {
    access: { token: async () => `token-${++n}` },
  })
  await desk.ask()
  await desk.ask()
  const sent = desk.server.exchanges.map(({ request }) => request.headers.authorization)
  t.same(sent, ['Bearer token-1', 'Bearer token-2'])
})
