/**
 * A page in somebody's browser, on the machine of the service or in its network, wants to use it with what
 * that person has, or to run a script where the service's own pages are. Method: a real service as `npm
 * start` runs it, requests as browsers send them, and every kind of answer looked at.
 */
import { request, type IncomingHttpHeaders } from 'node:http'
import t from 'tap'
import { devKey } from '../../../proto/accounts/dev-key.ts'
import { fileClient, form } from '../../helpers/service/files.ts'
import { createSession, startService, type SessionAnswer } from '../../helpers/service/service.ts'
import { openSocket } from '../../helpers/lib/socket-fate.ts'
import { serverLimits } from '../../../gateway/server/limits.ts'

const service = await startService({ env: { POOL_HEADLESS: '1' } })
t.teardown(() => service.stop())
const session = await createSession(service.rest)
const path = `/v1/sessions/${session.id}`
const json = { 'content-type': 'application/json' }
const keyed = { 'service-api-key': devKey }

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** The path as it stands, which `fetch` would tidy up. */
function ask(method: string, path: string, headers: object = {}, body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.baseUrl)
    const given = { ...headers, ...(body !== '' && { 'content-length': Buffer.byteLength(body) }) }
    const asked = request({ hostname, port, path, method, headers: given }, (answer) => {
      let text = ''
      answer.setEncoding('latin1').on('data', (part: string) => (text += part))
      const { statusCode: status = 0, headers } = answer
      answer.once('end', () => resolve({ status, headers, text }))
    })
    const failed = (cause: Error) => reject(new Error(`${method} ${path}`, { cause }))
    asked.once('error', failed).end(body)
  })
}

const { host } = new URL(service.baseUrl)
const strangers = [
  ...['https://evil.example', 'null', 'file://', 'chrome-extension://abcdefghijklmnop'],
  ...['http://localhost.evil.example', `http://${host}.evil.example`, 'http://127.0.0.1:1'],
  ...[`http://evil.example/${host}`, `http://${host}@evil.example`, 'http://localhost'],
]

t.test('a page of another site opens sockets', async (t) => {
  const made = await fetch(`${service.baseUrl}/v1/sessions`, {
    method: 'POST',
    headers: { 'anchor-api-key': devKey, ...json },
    body: JSON.stringify({ browser: { headless: { active: true } } }),
  })
  const { data: bySdk } = (await made.json()) as SessionAnswer
  const ws = service.baseUrl.replace('http', 'ws')
  const sockets = [
    `/ws?sessionId=${bySdk.id}`,
    `/ws?apiKey=${devKey}&sessionId=${bySdk.id}`,
    `/?apiKey=${devKey}&sessionId=${bySdk.id}`,
    `/devtools/page/x?apiKey=${devKey}&sessionId=${bySdk.id}`,
  ]
  for (const origin of strangers) {
    for (const socket of sockets) {
      t.equal((await openSocket(ws + socket, { origin })).status, 403, `${origin} ${socket}`)
    }
  }
  const own = await openSocket(ws + sockets[0]!, { origin: service.baseUrl })
  t.equal(own.status, 101, 'a page of the service may')
  own.close()
  await service.rest('DELETE', `/v1/sessions/${bySdk.id}`)
})

t.test('it sends requests with the well-known key, or reads without one', async (t) => {
  const rows = [
    ['POST', '/v1/sessions', { ...keyed, ...json }],
    ['POST', '/v1/sessions', { ...keyed, 'content-type': 'text/plain' }],
    ['DELETE', '/v1/sessions/all', keyed],
    ['GET', '/v1/sessions', keyed],
    ['GET', `${path}/screenshot`, keyed],
    ['POST', '/mcp', { authorization: `Bearer ${devKey}`, ...json }],
    ['GET', `/json/list?apiKey=${devKey}&sessionId=${session.id}`, {}],
  ] as const
  for (const origin of strangers) {
    const site = { origin, 'sec-fetch-site': 'cross-site' }
    for (const [method, route, headers] of rows) {
      const { status, headers: told } = await ask(method, route, { ...headers, ...site }, '{}')
      t.ok([400, 401, 403].includes(status), `${method} ${route} from ${origin}: ${status}`)
      t.notOk(told['access-control-allow-origin'])
    }
    const wanted = { 'access-control-request-method': 'POST', ...site }
    for (const route of ['/v1/sessions', '/metrics', '/health/live']) {
      const preflight = await ask('OPTIONS', route, wanted)
      t.notOk(preflight.headers['access-control-allow-origin'], `${origin} before ${route}`)
      const open = await ask('GET', route, site)
      t.notOk(open.headers['access-control-allow-origin'], `${origin} reads ${route}`)
    }
  }
  const noOrigin = { ...keyed, 'sec-fetch-site': 'cross-site' }
  t.equal((await ask('GET', '/v1/sessions', noOrigin)).status, 401, 'as an image does')
  t.equal((await service.rest('GET', path)).body.data.status, 'running')
})

t.test('a name of theirs leads to this machine', async (t) => {
  const port = String(service.port)
  const gateway = service.pidOf('gateway')
  for (const name of [
    ...['evil.example', `evil.example:${port}`, 'localhost.evil.example', '127.0.0.1.evil.example'],
    ...['[::1].evil.example', '127.0.0.1@evil.example', 'evil.example.', '0.0.0.0', '[::]', 'x'],
    ...[`localhost:${port}.evil.example`, 'localhost evil.example', '127.0.0.1.', '1.1.1.1'],
  ]) {
    for (const route of ['/', '/health/live', '/v1/sessions', '/live/x', '/portal']) {
      const { status, text } = await ask('GET', route, { ...keyed, host: name })
      t.ok([400, 403].includes(status), `${name}${route}: ${status}`)
      t.notMatch(text, devKey)
    }
    const ws = `${service.baseUrl.replace('http', 'ws')}/ws?sessionId=${session.id}`
    t.equal((await openSocket(ws, { host: name })).status, 403, name)
  }
  t.equal(service.pidOf('gateway'), gateway, 'no name ends the gateway')
})

const script = '"\'><script>alert(1)</script>'
const coded = encodeURIComponent(script)

/** Answers of every kind: pages, texts, files, refusals of each layer. */
async function everyAnswer(): Promise<Readonly<Record<string, Answer>>> {
  const file = form(['file', new Blob([script]), `${script}\r\nset-cookie: a=b.html`])
  const { body } = await fileClient(service).post(`${path}/uploads`, file)
  const live = session.live_view_url.replace(service.baseUrl, '')
  const style = await ask('GET', '/web/page.css')
  const gets = [
    ...['/', '/openapi.json', '/health/live', '/health/ready', '/metrics', `/${coded}`],
    ...['/web/live/live.js', '/web/portal.css', live, live.replace('?', '/state?')],
    ...[`/live/${coded}`, `/live/${session.id}?token=${coded}`, `/live/x/state?token=${coded}`],
    ...['/portal', '/portal/sign-in', `/portal/sign-in?next=${coded}`, `/portal/${coded}`],
    ...['/staff', '/staff/sign-in', `/v1/credentials/callback?state=${coded}&code=${coded}`],
    ...['/v1/me', `/v1/contacts?${coded}=${coded}`, '/ws', `/v1/sessions/${coded}`],
    ...[`/json/list?apiKey=${devKey}&sessionId=${session.id}`],
    ...[`/json/close/x?apiKey=${devKey}&sessionId=${session.id}`],
  ]
  const keyedGets = [
    ...[`${path}`, `${path}/screenshot`, `${path}/uploads`, `${path}/snapshot`, '/v1/sessions'],
    ...[`${path}/uploads/${body.data.id}`, `/v1/sessions?sort_order=${coded}`, `/${coded}`],
  ]
  const mcp = { ...keyed, ...json, accept: 'application/json, text/event-stream' }
  const hello = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const answers: [string, Answer][] = [
    ['not modified', await ask('GET', '/web/page.css', { 'if-none-match': style.headers.etag })],
    ['HEAD', await ask('HEAD', '/health/live')],
    ['OPTIONS', await ask('OPTIONS', '/v1/sessions')],
    ['a wrong method', await ask('PUT', '/v1/sessions', keyed)],
    ['no JSON', await ask('POST', '/v1/sessions', { ...keyed, ...json }, script)],
    ['another type', await ask('POST', '/v1/sessions', keyed, script)],
    ['too much', await ask('POST', '/v1/sessions', { ...keyed, ...json }, 'x'.repeat(2 ** 21))],
    ['an unknown field', await ask('POST', '/v1/sessions', { ...keyed, ...json }, '{"<b>":1}')],
    ['another origin', await ask('POST', '/v1/sessions', { origin: `http://${script}` })],
    ['another host', await ask('GET', '/', { host: script })],
    ['a head too large', await ask('GET', '/', { x: 'y'.repeat(serverLimits.headerBytes) })],
    ['half a handshake', await ask('GET', '/ws', { upgrade: 'websocket', connection: 'upgrade' })],
    ['MCP', await ask('POST', '/mcp', mcp, JSON.stringify(hello))],
    ['no MCP', await ask('POST', '/mcp', mcp, '{"<script>":1}')],
    ['a form of the portal', await ask('POST', '/portal/sign-in', {}, script)],
  ]
  for (const route of gets) answers.push([route, await ask('GET', route)])
  for (const route of keyedGets) answers.push([`keyed ${route}`, await ask('GET', route, keyed)])
  return Object.fromEntries(answers)
}

t.test('an answer is taken for a page or a script', async (t) => {
  for (const [name, { status, headers, text }] of Object.entries(await everyAnswer())) {
    t.equal(headers['x-content-type-options'], 'nosniff', `${status} ${name}`)
    t.notOk(headers['set-cookie']?.some((cookie) => cookie.startsWith('a=')))
    const type = headers['content-type'] ?? 'none'
    if (type.startsWith('text/html')) {
      const policy = String(headers['content-security-policy'])
      t.match(policy, /default-src 'none'/, name)
      t.match(policy, /frame-ancestors 'none'/, name)
      t.notMatch(policy, /unsafe|\*/, name)
      t.notMatch(text, '<script>alert', name)
    } else if (text.includes('<script>')) {
      t.match(type, /^(application|text)\/(json|octet-stream|event-stream)/, name)
    }
    if (name.includes('uploads/')) t.match(headers['content-disposition'], /^attachment; /)
  }
})

t.test('a path leads out of what pages are made of', async (t) => {
  for (const way of [
    '../../..',
    '..%2f..%2f..',
    '%2e%2e/%2e%2e/%2e%2e',
    '....//....//..',
    '..\\..',
  ]) {
    for (const base of ['/web/live', '/novnc/core', '/portal', '/live']) {
      for (const file of ['package.json', 'etc/passwd', 'gateway/web/live.html']) {
        const { text } = await ask('GET', `${base}/${way}/${file}`)
        t.notMatch(text, /"dependencies"|root:|\{\{id\}\}/, `${base}/${way}/${file}`)
      }
    }
  }
})
