/**
 * Goal: web tasks over REST: orders, refusals and waiting, in the shapes of the contract. The actor
 * is played; test/contract has the real one.
 */
import t from 'tap'
import type { HostRecord } from '../../../../proto/host.ts'
import { newIncarnation } from '../../../../proto/ids.ts'
import { OutputSchemas } from '../../../../runtime/lib/schemas/output-schemas.ts'
import { TaskActor } from '../../../helpers/tasks/played-task.ts'
import { all, keyOf, playTasks } from '../../../helpers/tasks/routes.ts'
import { until } from '../../../helpers/lib/until.ts'
import { taskLimits } from '../../../../proto/task/task-limits.ts'

const price = { inputPerMillionUsd: 1, outputPerMillionUsd: 4 }

const actorHost: HostRecord = {
  state: 'alive',
  incarnation: newIncarnation('n', 'actors'),
  nodeId: 'n',
  role: 'actors',
  leaseMs: 1,
  machine: 'm',
  version: '0',
  agents: ['gemini'],
}

/** uWebSockets.js drops an idle connection after 10 s, and checks every 4 s. */
const heldMs = 16_000
/** Held while the other tests run; the last one awaits its answer. */
const longHeld = await holdRequest()

async function holdRequest() {
  const { order, task } = await playTasks(t)
  const answer = order({})
  const { id } = await until('it was ordered', () => task.inputs[0])
  return { answer, task, id, sinceMs: performance.now() }
}

t.test('async: answered at once, then polled in the contract’s shape', async (t) => {
  const { order, ask, task } = await playTasks(t)
  const started = await order({ async: true })
  const id = String(started.body.data['id'])
  t.match(id, /^tsk_/)
  t.same(started, { status: 200, body: { data: { id, workflow_id: id, status: 'running' } } })

  const status = async () => (await ask('GET', `${all}/${id}/status`)).body
  t.same(await status(), { data: { status: 'RUNNING' } })
  task.become(id, 'completed', { end: 'done', result: { title: 'It' } })
  t.same(await status(), { data: { status: 'COMPLETED', result: { title: 'It' } } })
  task.become(id, 'timed_out', { end: 'timeout', error: 'The time is up.' })
  t.same(await status(), { data: { status: 'FAILED', error: 'The time is up.' } })
  task.become(id, 'cancelled', { end: 'cancelled', error: 'The task was cancelled.' })
  t.same(await status(), { data: { status: 'CANCELLED', error: 'The task was cancelled.' } })
})

t.test('sync: held until the task has ended, and answered with its result', async (t) => {
  const { order, task } = await playTasks(t)
  const answer = order({})
  const { id } = await until('it was ordered', () => task.inputs[0])
  await until('it is waited for', () => task.told.some(({ type }) => type === 'get'))
  task.become(id, 'completed', { result: { success: true, result: 'Found' } })
  const result = { success: true, result: 'Found' }
  t.same(await answer, { status: 200, body: { data: { id, workflow_id: id, result } } })
})

t.test(
  'sync: a task that did not complete gives an error with its reason, and never a 500',
  async (t) => {
    const { order, task } = await playTasks(t)
    const ends = [
      ['failed', 'provider_auth'],
      ['timed_out', 'timeout'],
      ['cancelled', 'cancelled'],
      ['failed', 'internal'],
    ] as const
    for (const [i, [state, end]] of ends.entries()) {
      const answer = order({})
      const { id } = await until('it was ordered', () => task.inputs[i])
      task.become(id, state, { end, error: 'So it is.' })
      t.match(await answer, {
        status: 422,
        body: {
          error: { code: 422, type: 'task_failed', message: 'So it is.', reason: end, task_id: id },
        },
      })
    }
  },
)

t.test('sync: disconnecting cancels the task; an async one goes on', async (t) => {
  const { ask, task } = await playTasks(t)
  const leave = new AbortController()
  const { signal } = leave
  const held = ask('POST', all, { prompt: 'Find it' }, { signal })
  const { id } = await until('it was ordered', () => task.inputs[0])
  await until('it is waited for', () => task.told.some(({ type }) => type === 'get'))
  leave.abort()
  await t.rejects(held)
  await until('it is cancelled', () => task.view(id).state === 'cancelled')
  await ask('POST', all, { prompt: 'Find it', async: true })
  t.equal(task.view(task.inputs[1]!.id).state, 'deciding')
})

t.test('sync: a gateway that shuts down says that the task goes on', async (t) => {
  const task = new TaskActor()
  const { order, close } = await playTasks(t, { task })
  const answer = order({})
  const { id } = await until('it was ordered', () => task.inputs[0])
  await until('it is waited for', () => task.told.some(({ type }) => type === 'get'))
  const closed = close()
  t.match(await answer, { status: 503, body: { error: { type: 'draining', task_id: id } } })
  await closed
  t.equal(task.view(id).state, 'deciding')
  task.become(id, 'completed')
})

t.test('an order carries every field, and its secrets only sealed', async (t) => {
  const { order, task, sessionId } = await playTasks(t, { price })
  const schema = { type: 'object', properties: { title: { type: 'string' } } }
  const body = {
    url: 'https://shop.example/',
    provider: 'groq',
    model: 'some-model',
    agent: 'browser-use',
    async: true,
    max_steps: 7,
    output_schema: schema,
    detect_elements: true,
    highlight_elements: false,
    human_intervention: true,
    secret_values: { password: 'correct horse' },
    extended_system_message: 'Be brief.',
    directly_open_url: false,
    vision: 'never',
    timeout_seconds: 60,
    max_tokens: 100_000,
    max_cost_usd: 0.5,
    allowed_domains: ['shop.example'],
    something_of_a_newer_contract: 1,
  }
  t.match(await order(body, `?sessionId=${sessionId}`), { status: 200 })
  const [input] = task.inputs
  const { id } = input!
  t.match(input, { tenant: 'default', keyId: 'dev', keyName: 'development' })
  t.same(input!.order, {
    prompt: 'Find it',
    url: 'https://shop.example/',
    opensUrl: false,
    provider: 'groq',
    model: 'some-model',
    maxSteps: 7,
    outputSchema: schema,
    humanIntervention: true,
    confirm: ['payment', 'deletion', 'upload', 'download', 'leaving_site'],
    secretNames: ['password'],
    sealedSecrets: `sealed for task/${id}: 28 characters`,
    extendedSystemMessage: 'Be brief.',
    sessionId,
    keepsSession: false,
    vision: 'never',
    timeoutMs: 60_000,
    tokensMax: 100_000,
    costMaxUsd: 0.5,
    allowedDomains: ['shop.example'],
    allowsPrivateNetwork: false,
    finalCheck: true,
  })
  t.notMatch(JSON.stringify(input), /correct horse/)
})

t.test('omitted fields have the contract’s defaults', async (t) => {
  const { begin, task } = await playTasks(t)
  await begin({ url: 'https://shop.example/', session_options: { session: { tags: ['mine'] } } })
  t.match(task.inputs[0]!.order, {
    provider: 'openai',
    opensUrl: true,
    maxSteps: 200,
    humanIntervention: false,
    secretNames: [],
    sessionBody: { session: { tags: ['mine'] } },
    vision: 'auto',
    timeoutMs: 3_600_000,
  })
  await begin({ url: 'https://shop.example/', directlyOpenUrl: false })
  t.equal(task.inputs[1]!.order.opensUrl, false, 'as an older client spells it')
})

t.test('invalid input is refused by field name, before a task exists', async (t) => {
  const { order, task } = await playTasks(t, { hosts: [actorHost] })
  const bad: [object, string, RegExp][] = [
    [{ prompt: '' }, 'prompt', /at least 1/],
    [{ prompt: undefined }, 'prompt', /required/],
    [{ prompt: 'x'.repeat(taskLimits.promptChars + 1) }, 'prompt', /at most/],
    [{ url: 'file:///etc/passwd' }, 'url', /./],
    [{ url: 'http://127.0.0.1:3000/' }, 'url', /private address.*allow_private_network/],
    [{ url: 'http://[::1]/', allowed_domains: ['example.com'] }, 'url', /private address/],
    [{ url: 'http://localhost/', directly_open_url: false }, 'url', /localhost.*allow_private/],
    [{ url: 'http://0x7f.1/' }, 'url', /127\.0\.0\.1 .*allow_private_network/],
    [{ url: 'https://10.1.2.3/' }, 'url', /allow_private_network/],
    [{ url: 'https://a.example/', allowed_domains: ['b.example'] }, 'url', /allowed_domains/],
    [{ provider: 'clippy' }, 'provider', /one of openai, anthropic, .*, acp:gemini\./],
    [{ provider: 'acp:claude' }, 'provider', /one of openai, .*, acp:gemini\./],
    [
      { provider: 'xai' },
      'provider',
      /no credential for xai.*npm run troupe -- credentials set xai/,
    ],
    [{ max_steps: 0 }, 'max_steps', /at least 1/],
    [{ max_steps: 1.5 }, 'max_steps', /./],
    [{ async: 'yes' }, 'async', /boolean/],
    [{ output_schema: 'a title' }, 'output_schema', /./],
    [{ output_schema: { type: 'string' } }, 'output_schema', /must describe an object/],
    [{ output_schema: { type: 'object', properties: 1 } }, 'output_schema', /cannot be used/],
    [{ secret_values: { password: ' ' } }, 'secret_values.password', /blank/],
    [{ secret_values: { 'a b': 'x' } }, 'secret_values.a b', /./],
    [{ secret_values: { pin: 1234 } }, 'secret_values.pin', /string/],
    [
      { prompt: 'Log in with correct horse', secret_values: { password: 'correct horse' } },
      'secret_values',
      /<secret>password<\/secret>/,
    ],
    [{ max_cost_usd: 1 }, 'max_cost_usd', /credentials set openai --price-in.*omit the limit/],
    [{ allowed_domains: ['not a domain'] }, 'allowed_domains.0', /example.com/],
    [{ timeout_seconds: 1e9 }, 'timeout_seconds', /at most/],
    [{ vision: 'sometimes' }, 'vision', /"auto" or "always" or "never"/],
    [{ confirm: ['everything'] }, 'confirm.0', /"payment" or/],
  ]
  for (const [body, field, message] of bad) {
    t.match(await order(body), {
      status: 400,
      body: { error: { type: 'bad_request', field, message } },
    })
  }
  const unsupported: [object, string][] = [
    [{ highlight_elements: true }, 'highlight_elements'],
    [{ detect_elements: false }, 'detect_elements'],
    [{ agent: 'openai-cua' }, 'agent'],
    [
      { session_options: { browser: { captcha_solver: { active: true } } } },
      'session_options.browser.captcha_solver.active',
    ],
  ]
  for (const [body, option] of unsupported) {
    t.match(await order(body), {
      status: 400,
      body: { error: { type: 'unsupported_option', option } },
    })
  }
  const many = Array.from({ length: taskLimits.secretsPerTask }, (_, i) => [
    `s${i}`,
    'x'.repeat(200),
  ])
  t.match(await order({ secret_values: Object.fromEntries(many) }), {
    status: 400,
    body: { error: { field: 'secret_values', message: /at most 16384 characters.*together/ } },
  })
  const large = { extended_system_message: '€'.repeat(taskLimits.promptChars) }
  t.match(await order(large), { status: 413, body: { error: { type: 'too_large' } } })
  t.same(task.inputs, [])
})

t.test('a property name that copying loses is refused, wherever it is', async (t) => {
  const { order, task } = await playTasks(t)
  const ownProto = JSON.parse('{"__proto__": "hunter2pass"}') as object
  for (const body of [
    { secret_values: ownProto },
    { output_schema: { type: 'object', properties: ownProto } },
    { session_options: { session: ownProto } },
    ownProto,
  ]) {
    t.match(await order(body), { status: 400, body: { error: { message: /called __proto__/ } } })
  }
  const secret_values = { constructor: 'hunter2pass', toString: 'hunter3pass' }
  const properties = { constructor: { type: 'string' }, hasOwnProperty: { type: 'string' } }
  const output_schema = { type: 'object', properties }
  const prompt = 'Type {"__proto__": 1} there'
  t.match(await order({ async: true, prompt, secret_values, output_schema }), { status: 200 })
  t.match(task.inputs, [
    { order: { prompt, secretNames: ['constructor', 'toString'], outputSchema: output_schema } },
  ])
})

t.test('while a schema never finishes, other requests are answered', async (t) => {
  const other = keyOf('other')
  const schemas = new OutputSchemas({ jobMs: 600_000 })
  const { ask, order } = await playTasks(t, { schemas, keys: [other.record] })
  const levels = Array.from({ length: 60 }, (_, i) => i)
  const both = (i: number) => ({ allOf: [0, 1].map(() => ({ $ref: `#/$defs/d${i + 1}` })) })
  const defs = Object.fromEntries(levels.map((i) => [`d${i}`, both(i)]))
  const endless = { $ref: '#/$defs/d0', $defs: { ...defs, d60: {} } }
  const events: string[] = []
  const held = order({ async: true, output_schema: endless }).then((answer) => {
    events.push('the endless one')
    return answer
  })
  const mine = { prompt: 'Find it', async: true }
  for (let i = 0; i < 3; i++) {
    t.match(await ask('POST', all, mine, { key: other.text }), { status: 200 })
    events.push('another')
  }
  await schemas.close()
  t.match(await held, { status: 503, body: { error: { type: 'draining' } } })
  t.same(events, ['another', 'another', 'another', 'the endless one'])
})

t.test('an internal URL is opened where that is allowed', async (t) => {
  const { begin, task } = await playTasks(t)
  const url = 'http://127.0.0.1:3000/'
  await begin({ url, allow_private_network: true })
  await begin({ url, allow_private_network: true, allowed_domains: ['127.0.0.1'] })
  await begin({ url: 'https://www.shop.example/', allowed_domains: ['shop.example'] })
  t.equal(task.inputs.length, 3)
})

t.test('a cost budget is accepted only where costs are known', async (t) => {
  const providers = ['openai', 'openrouter']
  const unpriced = await playTasks(t, { providers, hosts: [actorHost] })
  const body = { async: true, max_cost_usd: 1 }
  t.match(await unpriced.order(body), { status: 400, body: { error: { field: 'max_cost_usd' } } })
  for (const provider of ['openrouter', 'acp:gemini']) {
    t.match(await unpriced.order({ ...body, provider }), { status: 200 }, 'it tells itself')
  }
  const priced = await playTasks(t, { providers, price })
  t.match(await priced.order(body), { status: 200 })
})

t.test('an account of the environment has the price that AI_PRICES names', async (t) => {
  const env = { OPENAI_API_KEY: 'k', GROQ_API_KEY: 'k', AI_PRICES: 'openai:3/15' }
  const { order, task } = await playTasks(t, { env })
  const body = { async: true, max_cost_usd: 0.5 }
  t.match(await order({ ...body, provider: 'openai' }), { status: 200 })
  t.match(task.inputs[0]!.order, { provider: 'openai', costMaxUsd: 0.5 })
  t.match(await order({ ...body, provider: 'groq' }), {
    status: 400,
    body: { error: { field: 'max_cost_usd', message: /AI_PRICES=groq:IN\/OUT/ } },
  })
})

t.test('without any provider, the error says how to add one', async (t) => {
  const { order } = await playTasks(t, { providers: [] })
  t.match(await order({}), {
    status: 400,
    body: {
      error: { field: 'provider', message: /No AI provider.*npm run troupe -- credentials set/ },
    },
  })
  t.match(await order({ provider: 'acp:gemini' }), {
    status: 400,
    body: { error: { message: /The operator can allow agents with ACP_AGENTS/ } },
  })
})

t.test('a command-line agent needs no credential of ours', async (t) => {
  const { order, task } = await playTasks(t, { providers: [], hosts: [actorHost] })
  t.match(await order({ provider: 'acp:gemini', async: true }), { status: 200 })
  t.match(task.inputs[0]!.order, { provider: 'acp:gemini' })
})

t.test(
  'sync: a request is held for longer than the server library’s own time-out for idle ones',
  async (t) => {
    const { answer, task, id, sinceMs } = longHeld
    await until('it is held', () => performance.now() - sinceMs > heldMs, heldMs + 1_000)
    task.become(id, 'completed', { result: { success: true } })
    t.match(await answer, { status: 200, body: { data: { result: { success: true } } } })
  },
)
