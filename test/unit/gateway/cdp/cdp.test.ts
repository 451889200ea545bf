/**
 * Goal: CDP messages pass a gateway over real sockets complete, in order and bounded, and sockets
 * close with a reason. The browser is played; test/contract uses the real one.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import WebSocket, { WebSocketServer } from 'ws'
import { ServiceError } from '../../../../proto/errors.ts'
import { newKey } from '../../../../proto/accounts/key.ts'
import { verifyTicket } from '../../../../proto/browser-host/ticket.ts'
import { playBrowser, playService, type PlayedOptions } from '../../../helpers/gateway/gateway.ts'
import { until } from '../../../helpers/lib/until.ts'
import { cdpLimits } from '../../../../gateway/cdp/limits.ts'
import { serverLimits } from '../../../../gateway/server/limits.ts'

const MiB = 2 ** 20

async function setUp(
  t: Test,
  options: PlayedOptions = {},
  onMessage?: Parameters<typeof playBrowser>[0],
) {
  const browser = await playBrowser(onMessage)
  const service = await playService({ port: browser.port, ...options })
  t.teardown(async () => {
    await service.close()
    await browser.close()
  })
  return { browser, service }
}

async function connect(t: Test, url: string): Promise<WebSocket> {
  const socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: 2 ** 29 })
  t.teardown(() => socket.terminate())
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  return socket
}

const nextMessage = (socket: WebSocket) =>
  new Promise<Buffer>((resolve) => socket.once('message', (data: Buffer) => resolve(data)))

const closed = (socket: WebSocket) =>
  new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }))
  })

/** The status and body of a refused upgrade. */
const refused = (url: string, headers: Record<string, string> = {}) =>
  new Promise<{ status: number; type: string; contentType: string }>((resolve, reject) => {
    const socket = new WebSocket(url, { headers })
    socket.once('open', () => reject(new Error('it opened')))
    socket.once('unexpected-response', (request, response) => {
      let text = ''
      response.on('data', (chunk) => (text += chunk))
      response.once('end', () => {
        request.destroy()
        const contentType = String(response.headers['content-type'])
        resolve({ status: response.statusCode!, type: JSON.parse(text).error.type, contentType })
      })
    })
    socket.on('error', () => undefined) // Told above, with more to it.
  })

t.test('100 MiB pass each way, byte for byte', async (t) => {
  const { service } = await setUp(t)
  const client = await connect(t, service.cdpUrl)
  const message = Buffer.alloc(100 * MiB, 'abcdefghij')
  const answer = nextMessage(client)
  client.send(message, { binary: false })
  t.ok((await answer).equals(message))
})

t.test('messages keep their order, 64 in flight', async (t) => {
  const { service } = await setUp(t)
  const client = await connect(t, service.cdpUrl)
  const seen: number[] = []
  const all = new Promise<void>((resolve) => {
    client.on('message', (data) => {
      if (seen.push(JSON.parse(String(data)).id) === 2000) resolve()
    })
  })
  const send = (id: number) =>
    client.send(JSON.stringify({ id, pad: 'x'.repeat((id * 37) % 9000) }))
  let next = 0
  while (next < 64) send(next++)
  client.on('message', () => next < 2000 && send(next++))
  await all
  t.same(seen, [...seen.keys()])
})

t.test('a message over the limit closes the socket with a reason', async (t) => {
  const { service } = await setUp(t)
  const client = await connect(t, service.cdpUrl)
  const end = closed(client)
  client.send(Buffer.alloc(serverLimits.cdpToBrowserBytes + 1, 'x'), { binary: false })
  t.match(await end, { code: 1009, reason: /100 MiB/ })
})

t.test('a client that does not read slows the browser, and nothing piles up', async (t) => {
  const chunk = Buffer.alloc(1 * MiB, 'x')
  let written = 0
  const { service } = await setUp(t, {}, (socket) => {
    const more = () => {
      if (written >= 400 * MiB || socket.readyState !== WebSocket.OPEN) return
      written += chunk.length
      socket.send(chunk, { binary: false }, more)
    }
    more()
  })
  const client = await connect(t, service.cdpUrl)
  client.pause()
  client.send('go')
  await until('the browser is stalled', () => written > 0 && sameForAWhile(() => written))
  t.ok(written < 64 * MiB, `${written / MiB} MiB were taken from the browser`)
  let got = 0
  const all = until('everything arrives once it reads', () => got >= 400 * MiB, 60_000)
  client.on('message', (data: Buffer) => (got += data.length))
  client.resume()
  await all
})

/** True when the figure stays the same over several looks. */
async function sameForAWhile(figure: () => number): Promise<boolean> {
  const first = figure()
  let looks = 0
  await until('several looks', () => ++looks > 10)
  return figure() === first
}

t.test('downloads go to the folder of the session, whatever the client says', async (t) => {
  const { service } = await setUp(t)
  const client = await connect(t, service.cdpUrl)
  const sent = async (params: object, method = 'Browser.setDownloadBehavior') => {
    const answer = nextMessage(client)
    client.send(JSON.stringify({ id: 1, method, params, sessionId: 'S' }))
    return JSON.parse(String(await answer))
  }
  const downloadPath = '/downloads/of/this/session'
  const asked = { behavior: 'allowAndName', downloadPath: '/tmp/client', eventsEnabled: true }
  t.same(await sent(asked), {
    id: 1,
    method: 'Browser.setDownloadBehavior',
    params: { ...asked, downloadPath },
    sessionId: 'S',
  })
  t.match(await sent({ behavior: 'default' }), { params: { behavior: 'allow', downloadPath } })
  t.same((await sent({ behavior: 'deny' })).params, { behavior: 'deny' })
  t.match(await sent({ behavior: 'allow' }, 'Page.setDownloadBehavior'), {
    params: { downloadPath },
  })
  const other = { expression: '"setDownloadBehavior"' }
  t.same((await sent(other, 'Runtime.evaluate')).params, other)
})

t.test('a refused call is answered by the gateway, and never reaches the browser', async (t) => {
  const { service } = await setUp(t)
  const client = await connect(t, service.cdpUrl)
  const answerTo = async (text: string) => {
    const answer = nextMessage(client)
    client.send(text)
    return JSON.parse(String(await answer))
  }
  const call = { id: 1, method: 'Extensions.uninstall', params: { id: 'a' }, sessionId: 'S' }
  t.match(await answerTo(JSON.stringify(call)), {
    id: 1,
    sessionId: 'S',
    error: { code: -32601, message: /not for clients/ },
  })
  const harmless = { id: 2, method: 'Runtime.evaluate', params: { expression: '"Extensions."' } }
  t.same(await answerTo(JSON.stringify(harmless)), harmless, 'the browser answers')
})

t.test('the actor is told of the first connection and of the last, of none between', async (t) => {
  const { service } = await setUp(t)
  const types = () => service.told.map(({ command }) => command.type)
  const first = await connect(t, service.cdpUrl)
  const second = await connect(t, service.cdpUrl)
  t.same(types(), ['attach'])
  first.close()
  await closed(first)
  const third = await connect(t, service.cdpUrl)
  t.same(types(), ['attach'])
  second.close()
  third.close()
  await until('the actor is told', () => types().includes('disconnected'))
  await connect(t, service.cdpUrl)
  t.same(types(), ['attach', 'disconnected', 'attach'])
})

t.test('the end of the session closes its sockets with the code of the reason', async (t) => {
  const { service } = await setUp(t)
  const view = service.views.get(service.sessionId)!
  const cases = [
    ['idle', 4001],
    ['max_duration', 4002],
    ['deleted', 4003],
    ['browser_crashed', 4010],
    ['node_lost', 4011],
  ] as const
  for (const [reason, code] of cases) {
    service.views.set(view)
    const end = closed(await connect(t, service.cdpUrl))
    service.views.set({ ...view, status: 'ending', reason })
    t.match(await end, { code, reason: new RegExp(`^${reason}: `) })
  }
})

t.test(
  'a browser that closes first gets the reason that its session reports a moment later',
  async (t) => {
    const { service, browser } = await setUp(t)
    const end = closed(await connect(t, service.cdpUrl))
    await browser.close()
    const view = service.views.get(service.sessionId)!
    service.views.set({ ...view, status: 'completed', reason: 'browser_closed' })
    t.match(await end, { code: 1000, reason: /^browser_closed: / })
  },
)

t.test(
  'a browser that closes a connection and runs on: the reason names what was lost',
  async (t) => {
    const { service, browser } = await setUp(t)
    const ofPage = service.cdpUrl.replace('/?', '/devtools/page/A0?')
    const ends = [closed(await connect(t, service.cdpUrl)), closed(await connect(t, ofPage))]
    browser.drop()
    const [ofBrowser, page] = await Promise.all(ends)
    t.match(ofBrowser, { code: 1011, reason: /^The browser closed this connection.*connect again/ })
    t.match(page, { code: 1000, reason: /^The target of this socket was closed/ })
  },
)

t.test('a connection that breaks while the session is unreachable: the code says so', async (t) => {
  const { service, browser } = await setUp(t)
  const end = closed(await connect(t, service.cdpUrl))
  const view = service.views.get(service.sessionId)!
  service.views.set({ ...view, status: 'unreachable', unreachableSinceMs: 1 })
  await browser.close()
  t.match(await end, { code: 4014, reason: /^unreachable: .*connect again/ })
})

t.test('a binary frame closes the socket, and the reason says what is accepted', async (t) => {
  const seen: Buffer[] = []
  const { service } = await setUp(t, {}, (_, data) => seen.push(data))
  const client = await connect(t, service.cdpUrl)
  client.send(Buffer.from('{"id":1,"method":"Browser.getVersion"}'), { binary: true })
  t.match(await closed(client), { code: 1003, reason: /JSON in text frames/ })
  t.same(seen, [], 'the browser sees nothing of it')
})

t.test('a draining gateway closes its sockets, and the actor is told', async (t) => {
  const { service } = await setUp(t)
  const end = closed(await connect(t, service.cdpUrl))
  await service.gateway.drain()
  t.match(await end, { code: 4012 })
  t.same(service.told.at(-1)!.command.type, 'disconnected')
})

t.test('a socket that is connecting while the gateway drains is refused', async (t) => {
  let letGo = () => {}
  const held = new Promise<undefined>((resolve) => (letGo = () => resolve(undefined)))
  const { service } = await setUp(t, {
    answer: (_id, { type }) => (type === 'attach' ? held : undefined),
  })
  const refusal = refused(service.cdpUrl)
  await until('the actor is asked', () => service.told.length > 0)
  const drained = service.gateway.drain()
  letGo()
  t.match(await refusal, { status: 503, type: 'draining' })
  await drained
})

t.test('a browser that answers after its session has ended is released', async (t) => {
  let answer: (() => void) | undefined
  const browser = new WebSocketServer({
    port: 0,
    host: '127.0.0.1',
    verifyClient: (_info, done) => (answer = () => done(true)),
  })
  t.teardown(() => browser.close())
  await once(browser, 'listening')
  const dialled = once(browser, 'connection')
  const service = await playService({ port: (browser.address() as AddressInfo).port })
  t.teardown(() => service.close())
  const end = connect(t, service.cdpUrl).then(closed)
  const letGo = await until('the browser is dialled', () => answer)
  service.views.set({ ...service.views.get(service.sessionId)!, status: 'ending', reason: 'idle' })
  letGo()
  await dialled
  t.match(await end, { code: 4001, reason: /^idle: / })
  await until('nothing is connected to the browser', () => browser.clients.size === 0)
})

t.test('the paths that are sockets, and the refusals of upgrades', async (t) => {
  const { service } = await setUp(t)
  const { cdpUrl, sessionId } = service
  const at = (path: string) => cdpUrl.replace('/?', `${path}?`)
  for (const path of ['/', '//', '/devtools/browser/any', '/devtools/page/0A1B2C']) {
    const client = await connect(t, at(path))
    client.close()
    await closed(client)
  }
  const json = 'application/json'
  const own = cdpUrl.replace(/apiKey=[^&]+/, 'apiKey=dev-local-key')
  await connect(t, own)
  const noSession = own.replace('/?', '/devtools/browser/any?').replace(/&sessionId.*/, '')
  const cases: [string, string, Record<string, string>, { status: number; type: string }][] = [
    ['no key', cdpUrl.replace(/apiKey=[^&]+&/, ''), {}, { status: 401, type: 'unauthorized' }],
    ['a wrong key', cdpUrl.replace('tss_', 'tss_x'), {}, { status: 401, type: 'unauthorized' }],
    ['no session', noSession, {}, { status: 400, type: 'bad_request' }],
    [
      'a key of another session',
      cdpUrl.replace(
        sessionId,
        sessionId.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      ),
      {},
      { status: 401, type: 'unauthorized' },
    ],
    ['an unknown session', own.replace(sessionId, 'ses_x'), {}, { status: 404, type: 'not_found' }],
    ['another path', at('/v1/nothing'), {}, { status: 404, type: 'not_found' }],
    [
      'a foreign page with the well-known key',
      own,
      { origin: 'https://evil.example' },
      { status: 403, type: 'origin_not_allowed' },
    ],
    [
      'a foreign page with no key',
      at('/ws').replace(/apiKey=[^&]+&/, ''),
      { origin: 'https://evil.example' },
      { status: 403, type: 'origin_not_allowed' },
    ],
    [
      'a foreign page with a key where none is asked for',
      at(`/live/${sessionId}/socket`),
      { origin: 'https://evil.example' },
      { status: 403, type: 'origin_not_allowed' },
    ],
    ['a rebound name', cdpUrl, { host: 'evil.example' }, { status: 403, type: 'forbidden' }],
  ]
  for (const [name, url, headers, expected] of cases) {
    t.same(await refused(url, headers), { ...expected, contentType: json }, name)
  }
})

t.test('a session that has ended refuses with 410', async (t) => {
  const { service } = await setUp(t, {
    answer() {
      throw new ServiceError('session_ended', 'The session has ended (idle).')
    },
  })
  t.match(await refused(service.cdpUrl), { status: 410, type: 'session_ended' })
})

t.test('a browser on another machine is dialled through its agent, with a ticket', async (t) => {
  const { service, browser } = await setUp(t, { claim: { machine: 'another machine' } })
  const client = await connect(t, service.cdpUrl)
  const answer = nextMessage(client)
  client.send('hello')
  t.equal(String(await answer), 'hello')
  const { pathname, searchParams } = new URL(browser.requests.at(-1)!, 'http://agent')
  t.equal(pathname, '/cdp')
  t.equal(searchParams.get('path'), '/devtools/browser/of-this-test')
  const ticket = verifyTicket(searchParams.get('ticket')!, 'ticket secret', Date.now())
  t.match(ticket, { sessionId: service.sessionId, kind: 'cdp', epoch: 1 })
})

t.test('a client beyond the limit is refused, the others stay', async (t) => {
  const { service } = await setUp(t)
  const clients = await Promise.all(
    Array.from({ length: cdpLimits.cdpClientsPerSession }, () => connect(t, service.cdpUrl)),
  )
  t.match(await refused(service.cdpUrl), { status: 429, type: 'rate_limited' })
  t.ok(clients.every(({ readyState }) => readyState === WebSocket.OPEN))
})

t.test('a socket with its own key is accepted with any Origin', async (t) => {
  const { id, text, secretHash } = newKey()
  const key = { id, name: 'own', tenant: 'default', secretHash, createdAtMs: 0, limits: {} }
  const { service } = await setUp(t, { keys: [key] })
  const own = service.cdpUrl.replace(/apiKey=[^&]+/, `apiKey=${text}`)
  const bare = service.cdpUrl.replace(/apiKey=[^&]+&/, '')
  const origin = 'chrome-extension://abcdefghijklmnopabcdefghijklmnop'
  for (const [url, headers] of [
    [service.cdpUrl, {}],
    [own, {}],
    [bare, { 'service-api-key': text }],
  ] as const) {
    const socket = new WebSocket(url, { headers: { origin, ...headers } })
    t.teardown(() => socket.terminate())
    await once(socket, 'open')
  }
  const wrong = service.cdpUrl.replace('tss_', 'tss_x')
  t.match(await refused(wrong, { origin }), { status: 401 })
})
