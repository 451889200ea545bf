/**
 * Goal: a gateway's handling of requests over real sockets: whom it admits, what it refuses, and
 * with which answer.
 */
import { defined } from '../../../../proto/defined.ts'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { newIncarnation } from '../../../../proto/ids.ts'
import type { HostRecord } from '../../../../proto/host.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import { chooseEngine, engineNames } from '../../../../gateway/server/engine.ts'
import { PortTaken } from '../../../../gateway/server/listener.ts'
import { playedView, playService, type PlayedOptions } from '../../../helpers/gateway/gateway.ts'
import { keyOf as key } from '../../../helpers/gateway/played/keys.ts'
import { serverEngine } from '../../../helpers/service/server-engine.ts'
import { until } from '../../../helpers/lib/until.ts'

interface ErrorBody {
  readonly error: Record<string, unknown>
}

async function setUp(t: Test, options: PlayedOptions = {}) {
  const service = await playService(options)
  t.teardown(() => service.close())
  const { url } = service.gateway
  const ask = async (path: string, init: RequestInit & { key?: string | null } = {}) => {
    const { key = 'dev-local-key', ...rest } = init
    const headers = new Headers(rest.headers)
    if (key !== null) headers.set('service-api-key', key)
    const response = await fetch(url + path, { ...rest, headers })
    const text = await response.text()
    const isJson = text !== '' && response.headers.get('content-type')?.includes('json')
    const body = isJson
      ? (JSON.parse(text) as ErrorBody & { data: Record<string, unknown> })
      : undefined
    return { status: response.status, headers: response.headers, text, body: body! }
  }
  return { ...service, url, ask }
}

/** Sends bytes unchanged: `fetch` would normalize them. */
function raw(url: string, head: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    // Short answers arrive in one piece.
    socket.once('data', (data) => {
      socket.destroy()
      resolve(data.toString())
    })
    socket.once('error', reject)
    socket.write(head.replaceAll('\n', '\r\n'))
  })
}

t.test('every kind of invalid key gets the same 401', async (t) => {
  const good = key('acme')
  const revoked = key('acme', { revokedAtMs: 1 })
  const expired = key('acme', { expiresAtMs: Date.now() - 1 })
  const keys = [good.record, revoked.record, expired.record]
  const { ask } = await setUp(t, { keys })
  t.equal((await ask('/v1/sessions', { key: good.text })).status, 200)
  const wrong = [
    'nonsense',
    good.text.replace(/.$/, (last) => (last === '-' ? 'x' : '-')),
    key('acme').text,
    revoked.text,
    expired.text,
  ]
  const answers = await Promise.all(wrong.map((key) => ask('/v1/sessions', { key })))
  const messages = new Set(answers.map(({ body }) => body.error['message']))
  t.same(new Set(answers.map(({ status }) => status)), new Set([401]))
  t.equal(messages.size, 1)
})

t.test('the key is in either header, or a bearer token; two headers must agree', async (t) => {
  const { ask } = await setUp(t)
  const status = async (headers: Record<string, string>, path = '/v1/sessions') =>
    (await ask(path, { key: null, headers })).status
  const [dev, other] = ['dev-local-key', 'another']
  t.equal(await status({ 'anchor-api-key': dev }), 200)
  t.equal(await status({ 'anchor-api-key': dev, 'service-api-key': dev }), 200)
  t.equal(await status({ 'anchor-api-key': dev, 'service-api-key': other }), 401)
  t.equal(await status({ 'anchor-api-key': other, 'service-api-key': dev }), 401)
  t.equal(await status({}), 401)
  t.equal(await status({ authorization: `Bearer ${dev}` }), 200)
  t.equal(await status({ authorization: `bearer  ${dev}` }), 200)
  t.equal(await status({ authorization: `Bearer ${other}` }), 401)
  t.equal(await status({ authorization: `Basic ${dev}` }), 401)
  t.equal(await status({ authorization: `Bearer ${other}`, 'service-api-key': dev }), 200)
  t.equal(await status({}, `/v1/sessions?apiKey=${dev}`), 401)
})

t.test('off loopback the development key is refused, and metrics need an admin key', async (t) => {
  const mine = key('acme')
  const admin = key('house', { scopes: ['admin'] })
  const keys = [mine.record, admin.record]
  const { ask } = await setUp(t, { env: { HOST: '0.0.0.0' }, keys })
  t.match(await ask('/v1/sessions'), { status: 401, body: { error: { message: /loopback/ } } })
  t.equal((await ask('/metrics', { key: null })).status, 401)
  t.equal((await ask('/metrics', { key: mine.text })).status, 403)
  t.equal((await ask('/metrics', { key: admin.text })).status, 200)
  const allowed = await setUp(t, { env: { HOST: '0.0.0.0', ALLOW_DEV_KEY: '1' } })
  t.equal((await allowed.ask('/v1/sessions')).status, 200)
})

t.test('the development key is refused through a proxy, and not printed', async (t) => {
  const { ask } = await setUp(t)
  t.match((await ask('/')).text, 'dev-local-key')
  for (const name of [
    ...['x-forwarded-for', 'X-Forwarded-Host', 'x-forwarded-proto', 'forwarded', 'x-real-ip'],
    ...['via', 'cf-connecting-ip', 'cf-ray', 'true-client-ip', 'tailscale-user-login'],
  ]) {
    const headers = { [name]: '127.0.0.1' }
    const message = new RegExp(`${name.toLowerCase()} .*npm run troupe -- keys create`)
    t.match(await ask('/v1/sessions', { headers }), { status: 401, body: { error: { message } } })
    const bearer = { ...headers, authorization: 'Bearer dev-local-key' }
    const mcp = await ask('/mcp', { method: 'POST', key: null, headers: bearer })
    t.match(mcp, { status: 401 }, name)
    t.notMatch((await ask('/', { headers })).text, 'dev-local-key')
    const socket = await ask('/json/list?apiKey=dev-local-key&sessionId=ses_x', {
      headers,
      key: null,
    })
    t.match(socket, { status: 401 })
  }
  t.equal((await ask('/v1/sessions', { headers: { accept: '*/*' } })).status, 200)
})

t.test('the development key is refused where PUBLIC_URL is set', async (t) => {
  const mine = key('acme')
  const env = { PUBLIC_URL: 'https://browsers.example' }
  const { ask } = await setUp(t, { env, keys: [mine.record] })
  const message = /PUBLIC_URL is set.* npm run troupe -- keys create/
  t.match(await ask('/v1/sessions'), { status: 401, body: { error: { message } } })
  t.notMatch((await ask('/')).text, 'dev-local-key')
  const headers = { 'x-forwarded-for': '192.0.2.1' }
  t.equal((await ask('/v1/sessions', { key: mine.text, headers })).status, 200)
  const allowed = await setUp(t, { env: { ...env, ALLOW_DEV_KEY: '1' } })
  t.equal((await allowed.ask('/v1/sessions', { headers })).status, 200)
})

t.test('pages of other origins can read nothing and change nothing', async (t) => {
  const { url, ask } = await setUp(t, {
    env: {
      ALLOWED_ORIGINS: 'https://app.example',
      PUBLIC_URL: 'https://browsers.example',
      ALLOW_DEV_KEY: '1',
    },
  })
  const post = (origin: string) => ask('/v1/sessions', { method: 'POST', headers: { origin } })
  t.match(await post('https://evil.example'), {
    status: 403,
    body: { error: { type: 'origin_not_allowed' } },
  })
  t.equal((await post('null')).status, 403)
  t.equal((await post(url)).status, 200)
  t.equal((await post('https://browsers.example')).status, 200)
  const invited = await post('https://app.example')
  t.equal(invited.status, 200)
  t.equal(invited.headers.get('access-control-allow-origin'), 'https://app.example')
  const read = await ask('/v1/sessions', { headers: { origin: 'https://evil.example' } })
  t.equal(read.headers.get('access-control-allow-origin'), null)
})

t.test('a name rebound to loopback is refused', async (t) => {
  const { url } = await setUp(t, { env: { PUBLIC_URL: 'https://browsers.example' } })
  const status = async (host: string) =>
    (await raw(url, `GET /health/live HTTP/1.1\nHost: ${host}\n\n`)).slice(9, 12)
  t.equal(await status('evil.example:8080'), '403')
  t.equal(await status('localhost:8080'), '200')
  t.equal(await status('[::1]:8080'), '200')
  t.equal(await status('browsers.example'), '200')
})

t.test('unknown, invalid and foreign sessions are answered alike', async (t) => {
  const other = key('other')
  const { ask, url, sessionId } = await setUp(t, { keys: [other.record] })
  const ids = ['ses_00000000000000000000000000', 'x', 'a%2Fb', 'a%00b', '%zz', 'ses_']
  const answers = await Promise.all([
    ...ids.map((id) => ask(`/v1/sessions/${id}`)),
    ask(`/v1/sessions/${sessionId}`, { key: other.text }),
  ])
  const texts = answers.map(({ text, body }) =>
    text.replace(String(body.error['request_id']), 'REQUEST'),
  )
  t.same(new Set(answers.map(({ status }) => status)), new Set([404]))
  t.equal(new Set(texts).size, 1)
  const head = 'Host: localhost\nservice-api-key: dev-local-key\nx-request-id: REQUEST'
  const dots = await raw(url, `GET /v1/sessions/.. HTTP/1.1\n${head}\n\n`)
  t.ok(dots.endsWith(texts[0]!))
})

t.test('HEAD, OPTIONS, wrong methods and extra slashes', async (t) => {
  const { url, ask } = await setUp(t)
  const head = await ask('/v1/sessions', { method: 'HEAD' })
  t.equal(head.status, 200)
  t.ok(Number(head.headers.get('content-length')) > 0)
  t.equal(
    (await ask('/v1/sessions', { method: 'OPTIONS' })).headers.get('allow'),
    'POST, GET, HEAD, OPTIONS',
  )
  const wrong = await ask('/v1/sessions', { method: 'PUT' })
  t.match(wrong, { status: 405, body: { error: { type: 'method_not_allowed' } } })
  t.equal(wrong.headers.get('allow'), 'POST, GET, HEAD, OPTIONS')
  t.equal((await ask('//v1/sessions/')).status, 200)
  const half = `GET / HTTP/1.1\nHost: localhost\nUpgrade: websocket\nConnection: Upgrade\n\n`
  t.match(await raw(url, half), /^HTTP\/1.1 400 /)
})

t.test('every answer names its request; a valid name is kept', async (t) => {
  const { ask } = await setUp(t)
  const named = await ask('/nowhere', { headers: { 'x-request-id': 'my-own.id:1' } })
  t.equal(named.headers.get('x-request-id'), 'my-own.id:1')
  t.equal(named.body.error['request_id'], 'my-own.id:1')
  const odd = await ask('/health/live', { headers: { 'x-request-id': 'a b"c' } })
  t.match(odd.headers.get('x-request-id'), /^req_/)
})

t.test('bodies: none, empty, too large, too deep, not UTF-8, not JSON', async (t) => {
  const { ask } = await setUp(t)
  const post = (body?: string | Uint8Array<ArrayBuffer>, type?: string) =>
    ask('/v1/sessions', {
      method: 'POST',
      ...defined({ body }),
      ...(type !== undefined && { headers: { 'content-type': type } }),
    })
  const json = 'application/json'
  t.equal((await post()).status, 200)
  t.equal((await post('{}', json)).status, 200)
  t.equal((await post('', json)).status, 200)
  t.equal((await post('{}', 'text/plain')).status, 415)
  t.equal((await post(' '.repeat(7 * 2 ** 20 + 1), json)).status, 413)
  t.equal((await post('x'.repeat(8 * 2 ** 20), json)).status, 413)
  const bad = async (body: string | Uint8Array<ArrayBuffer>) =>
    (await post(body, json)).body.error['message']
  t.match(await bad('['.repeat(1000)), /64 levels/)
  t.match(await bad(new Uint8Array([0x7b, 0xff, 0x7d])), /UTF-8/)
  t.match(await bad('{"a":"\0"}'), /NUL byte/)
  t.match(await bad('{"session":{"tags":["\\u0000"]}}'), /NUL character/)
  t.match(await bad('{"a":'), /JSON/)
  t.match(await bad('[]'), /body must be of type object/)
})

t.test('an unsupported option is refused by its name', async (t) => {
  const { ask } = await setUp(t)
  const post = (body: unknown) =>
    ask('/v1/sessions', {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
  const unsupported: [unknown, string][] = [
    [{ browser: { captcha_solver: { active: true } } }, 'browser.captcha_solver.active'],
    [{ browser: { extra_stealth: { active: true } } }, 'browser.extra_stealth.active'],
    [{ session: { max_duration: 5 } }, 'session.max_duration'],
    [{ session: { proxy: { active: true, type: 'anchor_proxy' } } }, 'session.proxy.type'],
    [{ identities: [] }, 'identities'],
  ]
  for (const [body, option] of unsupported) {
    t.match(await post(body), {
      status: 400,
      body: { error: { type: 'unsupported_option', option } },
    })
  }
  const bad: [unknown, string][] = [
    [{ session: { timeout: { idle_timeout: -5 } } }, 'session.timeout.idle_timeout'],
    [{ session: { timeout: { idle_timeout: '5' } } }, 'session.timeout.idle_timeout'],
    [{ session: { tags: 'x' } }, 'session.tags'],
    [{ session: { proxy: { active: true } } }, 'session.proxy.type'],
    [{ browser: { captcha_solver: { active: 'yes' } } }, 'browser.captcha_solver.active'],
    [{ browser: { viewport: { width: 1.5 } } }, 'browser.viewport.width'],
  ]
  for (const [body, field] of bad) {
    t.match(await post(body), { status: 400, body: { error: { type: 'bad_request', field } } })
  }
})

t.test('a key with a limit gets 429 beyond it, counting requests in progress', async (t) => {
  const mine = key('acme', { limits: { sessions: 2 } })
  let release: (() => void) | undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  let creating = 0
  const service = await setUp(t, {
    keys: [mine.record],
    async create(input) {
      creating++
      await held
      return { view: { ...playedView(input.id), ...input } }
    },
  })
  const create = () => service.ask('/v1/sessions', { method: 'POST', key: mine.text })
  service.views.set({ ...playedView('ses_1'), tenant: 'acme', keyId: mine.record.id })
  const first = create()
  await until('the first is under way', () => creating === 1)
  const refused = await create()
  t.match(refused, {
    status: 429,
    body: { error: { type: 'session_limit', current: 2, limit: 2 } },
  })
  t.ok(Number(refused.headers.get('retry-after')) > 0)
  release!()
  t.equal((await first).status, 200)
})

t.test('a full queue is reported with what the caller can do', async (t) => {
  const details = { current: 3, limit: 3, position: 64 }
  const { ask } = await setUp(t, {
    create() {
      throw new ServiceError('queue_full', 'The line is full.', details)
    },
  })
  const refused = await ask('/v1/sessions', { method: 'POST' })
  t.match(refused.body.error, { code: 429, type: 'queue_full', ...details })
  t.ok(refused.headers.get('retry-after'))
})

t.test('a caller that leaves while its session is made leaves none behind', async (t) => {
  let asked = false
  let release!: () => void
  const held = new Promise<void>((resolve) => (release = resolve))
  const { url, told } = await setUp(t, {
    async create(input) {
      asked = true
      await held
      return { view: playedView(input.id) }
    },
  })
  const leave = new AbortController()
  const creation = fetch(`${url}/v1/sessions`, {
    method: 'POST',
    headers: { 'service-api-key': 'dev-local-key' },
    signal: leave.signal,
  })
  await until('the creation is under way', () => asked)
  leave.abort()
  await t.rejects(creation)
  const ends = () => told.filter(({ command }) => command['reason'] === 'caller_gone').length
  await until('it is ended at once', () => ends() === 1)
  release()
  await until('and again once it is there', () => ends() === 2)
})

t.test('ready only while a browser can be handed out', async (t) => {
  const server = engineNames[chooseEngine(serverEngine)]
  const host = (role: 'actors' | 'node-agent', more: Partial<HostRecord> = {}): HostRecord => ({
    state: 'alive',
    incarnation: newIncarnation('n', role),
    nodeId: 'n',
    role,
    leaseMs: 1,
    machine: 'm',
    version: '0',
    ...more,
  })
  const load = { capacity: 5, warm: 1, booting: 0, claimed: 2, queued: 0, ready: true }
  const ready = async (hosts: HostRecord[]) => (await setUp(t, { hosts })).ask('/health/ready')
  t.match(await ready([host('actors'), host('node-agent', { browsers: load })]), {
    status: 200,
    body: { data: { status: 'ready', server, nodes: 1, warm: 1, claimed: 2, capacity: 5 } },
  })
  const full = host('node-agent', { browsers: { ...load, ready: false } })
  for (const hosts of [[], [host('actors')], [host('actors'), full]]) {
    t.match(await ready(hosts), { status: 503, body: { error: { type: 'unavailable' } } })
  }
})

t.test('the description covers every route and is consistent', async (t) => {
  const { ask } = await setUp(t)
  const { paths, components } = JSON.parse((await ask('/openapi.json')).text) as {
    paths: Record<string, Record<string, { operationId: string }>>
    components: { schemas: object }
  }
  t.match(Object.keys(paths), ['/v1/sessions', '/v1/sessions/all', '/v1/sessions/all/status'])
  t.ok(components.schemas)
  const operations = Object.values(paths).flatMap((of) => Object.values(of))
  t.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length)
})

t.test('pages load nothing from elsewhere, and are framed only where they should be', async (t) => {
  const { ask, url, sessionId } = await setUp(t)
  const landing = await ask('/', { key: null })
  t.match(landing.text, url)
  t.match(landing.headers.get('content-security-policy'), "default-src 'none'")
  const { body } = await ask(`/v1/sessions/${sessionId}`)
  const live = String(body.data['live_view_url']).slice(url.length)
  t.notMatch(live, /apiKey|tss_/)
  t.match(await ask(live, { key: null }), { status: 200, text: /Live view/ })
  t.equal((await ask(live.replace(/.$/, '!'), { key: null })).status, 401)
  t.equal((await ask(`/live/${sessionId}`, { key: null })).status, 401)
})

t.test('a port in use is reported in one line', async (t) => {
  const { url } = await setUp(t)
  const { port } = new URL(url)
  const second = playService({ env: { PORT: port } })
  const { name, message } = new PortTaken('127.0.0.1', Number(port))
  await t.rejects(second, { name, message })
  t.notMatch(message, /\n/)
})
