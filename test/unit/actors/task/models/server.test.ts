// Goal: tests can rely on the scripted model. Method: the official client and plain fetch ask it,
// and it is told to answer, to fail, and to stay silent.
import OpenAI from 'openai'
import t, { type Test } from 'tap'
import { call, callAll, faults, inTurn, say } from '../../../../helpers/models/answers.ts'
import type { ModelScript, ScriptedAnswer } from '../../../../helpers/models/answers.ts'
import {
  serveModel,
  type ModelServer,
  type ModelServerOptions,
} from '../../../../helpers/models/server.ts'
import { until } from '../../../../helpers/lib/until.ts'

const clickTool = {
  type: 'function',
  function: {
    name: 'click',
    description: 'Clicks.',
    parameters: { type: 'object', properties: { ref: { type: 'string' } }, required: ['ref'] },
  },
} as const

const body = (more: object = {}) => ({
  model: 'scripted',
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Click it.' }] },
  ],
  tools: [clickTool],
  ...more,
})

async function serve(
  t: Test,
  script: ModelScript | ScriptedAnswer,
  options?: ModelServerOptions,
): Promise<ModelServer> {
  const server = await serveModel(script, options)
  t.teardown(() => server.close())
  return server
}

const post = (server: ModelServer, json: object, signal?: AbortSignal) =>
  fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify(json),
    ...(signal && { signal }),
  })

t.test('the official client reads the same answer, streamed and whole', async (t) => {
  const calls = [
    { name: 'click', arguments: { ref: 'e1' } },
    { name: 'click', arguments: { ref: 'a longer one, in several pieces' } },
  ]
  const server = await serve(t, callAll(calls, { text: 'I click both.' }))
  const client = new OpenAI({ baseURL: server.baseUrl, apiKey: 'none', maxRetries: 0 })
  const ask = { ...body(), messages: [{ role: 'user' as const, content: 'Click.' }] }
  const whole = await client.chat.completions.create({ ...ask, tools: [clickTool] })
  const stream = client.chat.completions.stream({
    ...ask,
    tools: [clickTool],
    stream_options: { include_usage: true },
  })
  const streamed = await stream.finalChatCompletion()
  for (const { choices, usage } of [whole, streamed]) {
    const { message, finish_reason } = choices[0]!
    t.equal(message.content, 'I click both.')
    const read = message.tool_calls?.map((each) => each.type === 'function' && each.function)
    t.same(
      read && read.map((each) => each && [each.name, JSON.parse(each.arguments)]),
      calls.map((each) => [each.name, each.arguments]),
    )
    t.equal(finish_reason, 'tool_calls')
    t.ok(usage && usage.prompt_tokens > 0 && usage.completion_tokens > 0)
  }
  t.ok(streamed.usage?.prompt_tokens_details?.cached_tokens, 'the second has the first before it')
  t.same(server.problems, [])
  t.same(
    server.exchanges.map((each) => each.outcome),
    ['answered', 'answered'],
  )
})

t.test('a script reads each request and answers it, in turn', async (t) => {
  const server = await serve(
    t,
    inTurn(faults.rateLimited({ seconds: 3, ms: 20 }), (request) =>
      say(`${request.n} ${request.system} ${request.user} ${request.tools[0]?.name}`),
    ),
  )
  const first = await post(server, body())
  t.equal(first.status, 429)
  t.equal(first.headers.get('retry-after'), '3')
  t.equal(first.headers.get('retry-after-ms'), '20')
  const second = (await (await post(server, body())).json()) as {
    choices: { message: { content: string } }[]
  }
  t.equal(second.choices[0]?.message.content, '2 Be brief. Click it. click')
})

t.test('requests that a strict provider refuses are refused and recorded', async (t) => {
  const server = await serve(t, say('never'), { refusedWords: ['additionalProperties'] })
  const withParameters = (parameters: object) =>
    body({ tools: [{ ...clickTool, function: { ...clickTool.function, parameters } }] })
  const string = { type: 'string' }
  const wrong = {
    'type must be one word': { type: 'object', properties: { a: { type: ['string', 'null'] } } },
    'anyOf is not taken': { type: 'object', properties: { a: { ...string, anyOf: [string] } } },
    'additionalProperties is not taken': {
      type: 'object',
      properties: { a: string },
      additionalProperties: false,
    },
    'object without properties': { type: 'object', properties: {} },
    'must be equal to one of the allowed values': { type: 'objekt', properties: { a: string } },
  }
  for (const [why, parameters] of Object.entries(wrong)) {
    const response = await post(server, withParameters(parameters))
    t.equal(response.status, 400)
    t.match(await response.text(), why)
  }
  const lone = await post(server, body({ messages: [{ role: 'user', content: '\ud800' }] }))
  t.match(await lone.text(), 'lone surrogate')
  const orphan = { role: 'tool', tool_call_id: 'call_0', content: 'done' }
  const answered = await post(server, body({ messages: [orphan] }))
  t.match(await answered.text(), 'nobody made')
  t.equal(server.problems.length, Object.keys(wrong).length + 2)
})

t.test('a client’s disconnect is detected, before headers and later', async (t) => {
  for (const fault of [
    faults.stallBeforeHeaders(),
    faults.stallAfterHeaders(),
    faults.stallMidStream(),
    faults.endless('click'),
  ]) {
    const server = await serve(t, fault)
    const client = new AbortController()
    const answer = post(server, body({ stream: true }), client.signal).then((r) => r.text())
    answer.catch(() => {})
    const exchange = await until('the request is there', () => server.exchanges[0])
    if (fault.kind === 'completion' && fault.breaksOff?.after !== 'headers') {
      await until('a part is sent', () => exchange.bytesSent > 0)
    }
    t.equal(exchange.outcome, 'open')
    client.abort()
    await t.rejects(answer)
    await until('it is noted', () => exchange.outcome === 'client_gone')
    t.ok(exchange.request.signal.aborted)
  }
})

t.test('resets, early ends and errors in a stream have their described effect', async (t) => {
  const server = await serve(
    t,
    inTurn(
      faults.resetBeforeHeaders(),
      faults.resetMidStream(),
      faults.endsEarly(),
      faults.errorInStream('upstream is down', 502),
    ),
  )
  const read = async () => (await post(server, body({ stream: true }))).text()
  await t.rejects(read())
  await t.rejects(read())
  t.notMatch(await read(), /DONE|finish_reason":"/)
  t.match(await read(), '{"error":{"message":"upstream is down","code":502}}')
  t.same(
    server.exchanges.map((each) => each.outcome),
    ['broken_off', 'broken_off', 'answered', 'answered'],
  )
})

t.test('wrong keys, models and paths are answered as by a provider', async (t) => {
  const server = await serve(t, call('click', { ref: 'e1' }), { key: 'right', models: ['a', 'b'] })
  const get = (path: string, key: string) =>
    fetch(`${server.origin}${path}`, { headers: { authorization: `Bearer ${key}` } })
  t.equal((await get('/v1/models', 'wrong')).status, 401)
  t.match(await (await get('/v1/models', 'right')).json(), { data: [{ id: 'a' }, { id: 'b' }] })
  t.equal((await get('/v2/nothing', 'right')).status, 404)
  t.same(server.strayPaths, ['/v2/nothing'])
})

t.test('a script that throws is reported as a problem', async (t) => {
  const server = await serve(t, () => {
    throw new Error('no such page')
  })
  t.equal((await post(server, body())).status, 500)
  t.match(server.problems, [/no such page/])
})
