/**
 * Goal: an invalid request is answered with what is wrong and what would be right, never with a
 * 500. One table; each row is a request to a real service and its exact answer, apart from the
 * request id.
 */
import { defined } from '../../../proto/defined.ts'
import { spawnSync } from 'node:child_process'
import t from 'tap'
import WebSocket from 'ws'
import { headless, startService, troupe, type Service } from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'

interface Request {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** A string is sent as it is, anything else as JSON. */
  readonly body?: unknown
  /** null sends no key. */
  readonly key?: string | null
}

/**
 * `type` decides the status; `details` are the fields beside code, type, message and request_id.
 */
interface Refusal {
  readonly code: number
  readonly type: string
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
}

type Row = readonly [name: string, request: Request, refusal: Refusal]

const unknownKey =
  'This key is unknown or was revoked; create one with: npm run troupe -- keys create.'
const noKey =
  'A key is needed: send it in the header service-api-key, or as Authorization: Bearer KEY; on this machine dev-local-key is accepted.'
const twoKeys = 'The headers service-api-key and anchor-api-key have different keys; send one.'
const noSession = { code: 404, type: 'not_found', message: 'There is no session with this id.' }
const neverWas = 'ses_00000000000000000000000000'
const sessions = '/v1/sessions'
const tasks = '/v1/tools/perform-web-task'
const MiB = 2 ** 20

const unauthorized = (message: string): Refusal => ({ code: 401, type: 'unauthorized', message })
const badField = (field: string, text: string): Refusal => ({
  code: 400,
  type: 'bad_request',
  message: `${field} ${text}`,
  details: { field },
})
const badBody = (message: string): Refusal => ({ code: 400, type: 'bad_request', message })
const unsupported = (option: string, text: string): Refusal => ({
  code: 400,
  type: 'unsupported_option',
  message: `${option} ${text}`,
  details: { option },
})
const create = (body: unknown, headers?: Record<string, string>): Request => ({
  method: 'POST',
  path: sessions,
  body,
  ...(headers && { headers }),
})
const notAllowed = (path: string, allow: string): Refusal => ({
  code: 405,
  type: 'method_not_allowed',
  message: `${path} only accepts ${allow}.`,
})

const inSession =
  'Known fields of session: initial_url, tags, timeout, proxy, network, storage_state, recording, live_view.'

const rows: readonly Row[] = [
  ['no key', { path: sessions, key: null }, unauthorized(noKey)],
  ['a wrong key', { path: sessions, key: 'nonsense' }, unauthorized(unknownKey)],
  ['an empty key', { path: sessions, key: '' }, unauthorized(unknownKey)],
  ['two keys', { path: sessions, headers: { 'anchor-api-key': 'another' } }, unauthorized(twoKeys)],
  [
    'a wrong key as a bearer token',
    { path: sessions, key: null, headers: { authorization: 'Bearer nonsense' } },
    unauthorized(unknownKey),
  ],
  [
    'a key as another kind of authorization',
    { path: sessions, key: null, headers: { authorization: 'Basic dev-local-key' } },
    unauthorized(noKey),
  ],
  [
    'a key in the query of REST',
    { path: `${sessions}?apiKey=dev-local-key`, key: null },
    unauthorized(noKey),
  ],
  ['an unknown id', { path: `${sessions}/${neverWas}` }, noSession],
  ['an id of another kind', { path: `${sessions}/tsk_00000000000000000000000000` }, noSession],
  ['an id with a slash', { path: `${sessions}/a%2Fb` }, noSession],
  ['an id with a NUL', { path: `${sessions}/a%00b` }, noSession],
  ['an id that cannot be decoded', { path: `${sessions}/%zz` }, noSession],
  ['an id of 4 KiB', { path: `${sessions}/${'x'.repeat(4096)}` }, noSession],
  ['ending an unknown id', { method: 'DELETE', path: `${sessions}/${neverWas}` }, noSession],
  ['pages of an unknown id', { path: `${sessions}/${neverWas}/pages` }, noSession],
  [
    'tags of an unknown id',
    { method: 'PUT', path: `${sessions}/${neverWas}/tags`, body: { tags: [] } },
    noSession,
  ],
  [
    'a socket asked for as a page',
    { path: '/ws', key: null },
    badBody('A WebSocket is served at this path; connect to it with ws:// or wss://.'),
  ],
  [
    'an unknown path',
    { path: '/v1/nothing' },
    {
      code: 404,
      type: 'not_found',
      message: 'There is no such path; /openapi.json lists all paths.',
    },
  ],
  [
    'a wrong method',
    { method: 'PUT', path: sessions },
    notAllowed(sessions, 'POST, GET, HEAD, OPTIONS'),
  ],
  [
    'a wrong method on all',
    { method: 'POST', path: `${sessions}/all` },
    notAllowed(`${sessions}/all`, 'DELETE, OPTIONS'),
  ],
  [
    'a body over 1 MiB',
    { method: 'POST', path: '/v1/tools/perform-web-task', body: `{"pad":"${'x'.repeat(MiB)}"}` },
    {
      code: 413,
      type: 'too_large',
      message: `The body may have ${MiB} bytes at most.`,
      details: { limit_bytes: MiB },
    },
  ],
  [
    'JSON a thousand levels deep',
    create('{"a":'.repeat(1000) + '1' + '}'.repeat(1000)),
    badBody('The body is nested more than 64 levels deep.'),
  ],
  [
    'JSON that is cut off',
    create('{"session":'),
    badBody('The body is not valid JSON: Unexpected end of JSON input'),
  ],
  ['a NUL byte', create('{"a":"\0"}'), badBody('The body has a NUL byte in it.')],
  [
    'a NUL in a string',
    create({ session: { tags: ['\0'] } }),
    badBody('The body has a NUL character in it.'),
  ],
  [
    'another content type',
    create('{}', { 'content-type': 'text/plain' }),
    {
      code: 415,
      type: 'unsupported_media_type',
      message: 'A body must be JSON: send the header content-type: application/json.',
    },
  ],
  ['an array', create([]), badBody('The body must be of type object, not array.')],
  [
    'a string for a boolean',
    create({ browser: { headless: { active: 'yes' } } }),
    badField('browser.headless.active', 'must be of type boolean, not string.'),
  ],
  [
    'a negative time',
    create({ session: { timeout: { idle_timeout: -5 } } }),
    badField('session.timeout.idle_timeout', 'must be more than 0.'),
  ],
  [
    'a time in words',
    create({ session: { timeout: { max_duration: '5' } } }),
    badField('session.timeout.max_duration', 'must be of type number, not string.'),
  ],
  [
    'tags that are no list',
    create({ session: { tags: 'one' } }),
    badField('session.tags', 'must be of type array, not string.'),
  ],
  [
    'an initial page of the host',
    create({ session: { initial_url: 'file:///etc/passwd' } }),
    badField('session.initial_url', 'must be an http, https, about or data URL.'),
  ],
  [
    'a viewport of half a pixel',
    create({ browser: { viewport: { width: 800.5 } } }),
    badField('browser.viewport.width', 'must be of type int, not number.'),
  ],
  [
    'a proxy without its server',
    create({ session: { proxy: { active: true, type: 'custom' } } }),
    badField('session.proxy.server', 'is required.'),
  ],
  [
    'an unknown option',
    create({ colour: 'red' }),
    unsupported('colour', 'is not a known field. Known fields: session, browser.'),
  ],
  [
    'a time at the wrong place',
    create({ session: { max_duration: 5 } }),
    unsupported('session.max_duration', `is not a known field. ${inSession}`),
  ],
  [
    'a feature that is not here',
    create({ browser: { captcha_solver: { active: true } } }),
    unsupported('browser.captcha_solver.active', 'cannot be true: only false is supported.'),
  ],
  ['a page that is none', { path: `${sessions}?page=0` }, badField('page', 'must be at least 1.')],
  ['pages too long', { path: `${sessions}?limit=1000` }, badField('limit', 'must be at most 50.')],
  [
    'an order that is none',
    { path: `${sessions}?sort_order=up` },
    badField('sort_order', 'must be "asc" or "desc".'),
  ],
  [
    'an unknown filter',
    { path: `${sessions}?colour=red` },
    badField(
      'colour',
      'is not a known field. Known fields: tags, created_from, created_to, task_initiated, domains, profile_name, page, limit, sort_by, sort_order, cursor, status, search.',
    ),
  ],
  [
    'a task without a goal',
    { method: 'POST', path: tasks, body: {} },
    badField('prompt', 'is required.'),
  ],
  [
    'a task where no model is configured',
    { method: 'POST', path: tasks, body: { prompt: 'x' } },
    {
      code: 400,
      type: 'bad_request',
      message:
        'No AI provider is configured. Set one with: npm run troupe -- credentials set <provider>; or PUT /v1/credentials/<provider>.',
      details: { field: 'provider' },
    },
  ],
  [
    'a provider that is none',
    { method: 'POST', path: tasks, body: { prompt: 'x', provider: 'clippy' } },
    badField(
      'provider',
      'must be one of openai, anthropic, gemini, groq, azure, xai, openrouter, ollama, compatible. The operator can allow agents with ACP_AGENTS.',
    ),
  ],
  [
    'a task in a session that is not there',
    { method: 'POST', path: `${tasks}?sessionId=${neverWas}`, body: { prompt: 'x' } },
    noSession,
  ],
  [
    'a task that never was',
    { path: `${tasks}/tsk_00000000000000000000000000/status` },
    { code: 404, type: 'not_found', message: 'There is no task with this id.' },
  ],
  [
    'a page of another site',
    create({}, { origin: 'https://evil.example' }),
    {
      code: 403,
      type: 'origin_not_allowed',
      message:
        'Pages of https://evil.example cannot use this service; add this origin to ALLOWED_ORIGINS.',
    },
  ],
  [
    'discovery without a session',
    { path: '/json/list?apiKey=dev-local-key' },
    {
      code: 400,
      type: 'bad_request',
      message: 'The query must name the session: connect to its cdp_url.',
      details: { field: 'sessionId' },
    },
  ],
]

let service: Service

t.before(async () => {
  service = await startService()
})
t.teardown(() => service.stop())

t.test('every row of the table', async (t) => {
  t.ok(rows.length >= 30)
  for (const [name, request, { details = {}, ...refusal }] of rows) {
    const { status, contentType, body, requestId } = await send(request)
    t.same(
      { status, contentType, body },
      {
        status: refusal.code,
        contentType: 'application/json',
        body: { error: { ...refusal, request_id: requestId, ...details } },
      },
      name,
    )
  }
})

t.test('an ended session: 410 for its commands, still readable and deletable', async (t) => {
  const { data } = (await service.rest('POST', sessions, headless)).body
  t.match(await send({ method: 'DELETE', path: `${sessions}/${data.id}` }), { status: 200 })
  await until('it has ended', async () => {
    return (await service.rest('GET', `${sessions}/${data.id}`)).body.data.status === 'completed'
  })
  const message = 'The session has ended (deleted); create another one.'
  const ended = { code: 410, type: 'session_ended', message, reason: 'deleted' }
  const path = `${sessions}/${data.id}`
  t.match(await send({ path: `${path}/pages` }), { status: 410, body: { error: ended } })
  t.match(await send({ method: 'PUT', path: `${path}/tags`, body: { tags: [] } }), { status: 410 })
  t.match(await send({ method: 'DELETE', path }), {
    status: 200,
    body: { data: { status: 'success' } },
  })
  t.match(await send({ path }), { body: { data: { status: 'completed', reason: 'deleted' } } })
  t.match(await refusedUpgrade(data.cdp_url), { status: 410, body: { error: ended } })
})

t.test('another tenant’s session is answered like an unknown one, byte for byte', async (t) => {
  const { data } = (await service.rest('POST', sessions, headless)).body
  const key = createKey('other')
  const text = async (id: string) => {
    const { body, requestId } = await send({ path: `${sessions}/${id}`, key })
    return JSON.stringify(body).replace(requestId, '')
  }
  t.equal(await text(data.id), await text(neverWas))
  const foreign = new URL(data.cdp_url)
  foreign.searchParams.set('apiKey', key)
  t.match(await refusedUpgrade(foreign.href), { status: 404, body: { error: noSession } })
  t.match((await service.rest('DELETE', `${sessions}/all`)).body, { data: { status: 'success' } })
})

t.test('invalid upgrades are refused', async (t) => {
  const { data } = (await service.rest('POST', sessions, headless)).body
  const without = data.cdp_url.replace(/apiKey=[^&]*&/, '')
  t.match(await refusedUpgrade(without), { status: 401, body: { error: { type: 'unauthorized' } } })
  const wrong = data.cdp_url.replace('apiKey=tss_', 'apiKey=tss_0')
  t.match(await refusedUpgrade(wrong), { status: 401, body: { error: { message: unknownKey } } })
  const origin = { origin: 'https://evil.example' }
  const known = data.cdp_url.replace(/apiKey=[^&]*/, `apiKey=${service.key}`)
  t.match(await refusedUpgrade(known, origin), { status: 403 })
  const page = data.cdp_url.replace('/?', '/devtools/page/NOSUCHPAGE?')
  t.match(await refusedUpgrade(page), { status: 404, body: { error: { type: 'not_found' } } })
})

async function send(request: Request) {
  const { method = 'GET', path, body, headers, key = service.key } = request
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(service.baseUrl + path, {
    method,
    headers: {
      ...(key !== null && { 'service-api-key': key }),
      ...(text !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...defined({ body: text }),
  })
  return {
    status: response.status,
    contentType: response.headers.get('content-type'),
    requestId: response.headers.get('x-request-id') ?? '',
    body: (await response.json()) as unknown,
  }
}

function refusedUpgrade(url: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    const socket = new WebSocket(url, { headers })
    socket.on('error', () => undefined) // Told below, with more to it.
    socket.once('open', () => reject(new Error('the socket opened')))
    socket.once('unexpected-response', (_request, response) => {
      let text = ''
      response.on('data', (chunk) => (text += chunk))
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as unknown }),
      )
    })
  })
}

function createKey(tenant: string): string {
  const run = spawnSync(
    process.execPath,
    [troupe, 'keys', 'create', '--tenant', tenant, '--name', 'test'],
    { env: { ...process.env, DATA_DIR: service.dataDir }, encoding: 'utf8' },
  )
  return run.stdout.trim()
}
