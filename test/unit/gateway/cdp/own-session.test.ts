/**
 * Goal: a socket that names no session gets one of its own, and no session outlives its socket,
 * whenever that closes. The actor and the browser are played; test/contract uses the real ones.
 */
import puppeteer from 'puppeteer-core'
import t, { type Test } from 'tap'
import WebSocket from 'ws'
import { ServiceError } from '../../../../proto/errors.ts'
import { devKey } from '../../../../proto/accounts/dev-key.ts'
import type { SessionInput } from '../../../../proto/session/session-protocol.ts'
import { playBrowser, playedView, playService } from '../../../helpers/gateway/gateway.ts'
import type { PlayedOptions } from '../../../helpers/gateway/gateway.ts'
import { keyOf } from '../../../helpers/gateway/played/keys.ts'
import { until } from '../../../helpers/lib/until.ts'

async function setUp(t: Test, options: PlayedOptions = {}) {
  const browser = await playBrowser()
  const service = await playService({ port: browser.port, ...options })
  t.teardown(async () => {
    await service.close()
    await browser.close()
  })
  const ends = () => service.told.filter(({ command }) => command['reason'] === 'caller_gone')
  const url = (query: string) => `${service.gateway.url.replace('http', 'ws')}/?${query}`
  return { service, ends, url }
}

function dial(t: Test, url: string, headers: Record<string, string> = {}): WebSocket {
  const socket = new WebSocket(url, { headers })
  t.teardown(() => socket.terminate())
  socket.on('error', () => undefined) // What matters of an error is the close that follows it.
  return socket
}

const opened = (socket: WebSocket) => new Promise((resolve) => socket.once('open', resolve))

interface Refusal {
  readonly status: number
  readonly error: { readonly type: string; readonly message: string; readonly field?: string }
  readonly retryAfter: string | undefined
}

const refusal = (socket: WebSocket) =>
  new Promise<Refusal>((resolve, reject) => {
    socket.once('open', () => reject(new Error('it opened')))
    socket.once('unexpected-response', (_request, response) => {
      let text = ''
      response.on('data', (chunk) => (text += chunk))
      response.once('end', () => {
        const { error } = JSON.parse(text) as Pick<Refusal, 'error'>
        const retryAfter = response.headers['retry-after']
        resolve({ status: response.statusCode!, error, retryAfter })
      })
    })
  })

const key = `apiKey=${devKey}`

t.test('the options of the query are those of the session', async (t) => {
  const made: SessionInput[] = []
  const { service, ends, url } = await setUp(t, {
    async create(input) {
      made.push(input as SessionInput)
      service.views.set({ ...playedView(input.id), ...input })
      return { view: service.views.get(input.id) }
    },
  })
  const socket = dial(t, url(`${key}&headless=true&tags=a,b,%20a&timeout=7`))
  await opened(socket)
  t.match(made, [
    {
      tenant: 'default',
      keyId: 'dev',
      options: { headless: true, tags: ['a', 'b'], maxDurationMinutes: 7, idleTimeoutMinutes: 1 },
    },
  ])
  socket.send('{"id":1,"method":"Browser.getVersion"}')
  await new Promise((resolve) => socket.once('message', resolve))
  t.same(ends(), [])
  socket.close()
  await until('it ends with its socket', () => ends().length === 1)
  t.equal(ends()[0]!.id, made[0]!.id)

  const plain = dial(t, url(''), { 'service-api-key': devKey })
  await opened(plain)
  t.match(made[1], { options: { headless: false, tags: [], maxDurationMinutes: 20 } })
})

t.test('what is wrong with the query or the key is said before anything is made', async (t) => {
  const full = keyOf('acme')
  const narrow = keyOf('acme', { scopes: ['tasks'] })
  let made = 0
  const { url, service } = await setUp(t, {
    keys: [full.record, narrow.record],
    async create() {
      made++
      throw new ServiceError('internal', 'not reached')
    },
  })
  const rows: [query: string, status: number, message: RegExp][] = [
    [`${key}&headless=maybe`, 400, /^headless must be of type boolean/],
    [`${key}&timeout=60000`, 400, /^timeout must be at most 1440 minutes/],
    [`${key}&timeout=0`, 400, /^timeout /],
    [`apiKey=${full.text}&tags=${'x'.repeat(1_000)}`, 400, /^tags\.0 must have at most/],
    [
      `${key}&headles=true`,
      400,
      /^headles is not a known field\. .*apiKey, headless, tags, timeout/,
    ],
    ['headless=true', 401, /\/\?apiKey=KEY/],
    ['apiKey=', 401, /\/\?apiKey=KEY/],
    ['apiKey=nonsense', 401, /^This key is unknown/],
    [`apiKey=${narrow.text}`, 403, /sessions/],
    [new URL(service.cdpUrl).search.slice(1).replace(/&sessionId=.*/, ''), 400, /name the session/],
    [`${key}&sessionId=`, 400, /must name the session/],
  ]
  for (const [query, status, message] of rows) {
    const { error, ...answer } = await refusal(dial(t, url(query)))
    t.equal(answer.status, status, query)
    t.match(error.message, message, query)
    const version = await fetch(`${service.gateway.url}/json/version?${query}`)
    t.equal(version.status, status, `/json/version?${query}`)
  }
  t.equal(made, 0)
})

t.test('a client with an http address is told why it is refused', async (t) => {
  const { service } = await setUp(t)
  const { url } = service.gateway
  const wrong = await fetch(`${url}/json/version?apiKey=nonsense`)
  t.match(wrong, { status: 401, statusText: /key/ })
  const { error } = (await wrong.json()) as { error: { message: string } }
  t.equal(wrong.statusText, error.message.replaceAll('’', "'"))
  await t.rejects(puppeteer.connect({ browserURL: url }), { message: /key/ }, 'it drops the query')
  t.equal((await fetch(`${url}/v1/sessions`)).statusText, 'Unauthorized', 'others are as ever')
})

t.test('/json/version leads to the socket, with what the query asks for', async (t) => {
  const { service, url } = await setUp(t)
  const query = `${key}&headless=true`
  for (const path of ['/json/version', '/json/version/']) {
    const answer = await fetch(`${service.gateway.url}${path}?${query}`)
    const { webSocketDebuggerUrl } = (await answer.json()) as { webSocketDebuggerUrl: string }
    t.equal(webSocketDebuggerUrl, url(query))
    t.equal(answer.headers.get('cache-control'), 'no-store')
  }
})

t.test('a service that is full says so as POST does', async (t) => {
  const details = { current: 3, limit: 3 }
  const { url } = await setUp(t, {
    create() {
      throw new ServiceError('queue_timeout', 'No browser became free in time.', details)
    },
  })
  const { status, error, retryAfter } = await refusal(dial(t, url(key)))
  t.equal(status, 429)
  t.match(error, { type: 'queue_timeout', ...details })
  t.ok(retryAfter)
})

t.test('a client that leaves while its session is made leaves none behind', async (t) => {
  let asked = false
  let release!: () => void
  const held = new Promise<void>((resolve) => (release = resolve))
  const { service, ends, url } = await setUp(t, {
    async create(input) {
      asked = true
      await held
      service.views.set(playedView(input.id))
      return { view: service.views.get(input.id) }
    },
  })
  const socket = dial(t, url(key))
  await until('the creation is under way', () => asked)
  socket.terminate()
  await until('it is ended at once', () => ends().length === 1)
  release()
  await until('and again once it is there', () => ends().length >= 2)
})

t.test('a browser that cannot be reached is no session that stays', async (t) => {
  const { service, ends, url } = await setUp(t, { claim: { devtoolsPort: 1 } })
  const { status } = await refusal(dial(t, url(key)))
  t.ok(status >= 500)
  await until('it is ended', () => ends().length > 0)
  t.not(ends()[0]!.id, service.sessionId)
})

t.test('a gateway that drains tells the actors before it is done', async (t) => {
  const { service, ends, url } = await setUp(t)
  const socket = dial(t, url(key))
  await opened(socket)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await service.gateway.drain()
  t.equal(ends().length, 1)
  t.equal(await closed, 4012)
})
