/**
 * Goal: a ticket opens one channel to one browser, and the channel only passes bytes on. Method:
 * real sockets; a WebSocket server in place of Chromium's port.
 */
import { defined } from '../../../../proto/defined.ts'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer as createSocketServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import t from 'tap'
import WebSocket, { WebSocketServer } from 'ws'
import { newId } from '../../../../proto/ids.ts'
import { limits } from '../../../../proto/limits.ts'
import { signTicket, type Ticket } from '../../../../proto/browser-host/ticket.ts'
import type { ByteStream } from '../../../../runtime/browser-host/channel/channel.ts'
import { dialUpgrade } from '../../../../runtime/browser-host/channel/stream.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'
import type { SessionFiles } from '../../../../node-agent/files/session-files.ts'
import { DataPort } from '../../../../node-agent/data-port/data-port.ts'
import { Tickets, type SessionAccess } from '../../../../node-agent/data-port/tickets.ts'
import { closeServer, listenOnLoopback } from '../../../helpers/lib/loopback.ts'
import { until } from '../../../helpers/lib/until.ts'

const MiB = 2 ** 20
const secret = 'of this claim'
const sessionId = newId('ses')
const page = '/devtools/page/ABC'

/**
 * In place of Chromium: answers /json/version, echoes messages, and reports the request that it
 * got.
 */
const devtools = createServer((request, response) => {
  if (request.url === '/json/protocol') unanswered.push(response)
  else response.end(`answer to ${request.url}`)
})
const unanswered: ServerResponse[] = []
const sockets = new WebSocketServer({ server: devtools, maxPayload: 256 * MiB })
const upgrades: IncomingMessage[] = []
sockets.on('connection', (socket, request) => {
  upgrades.push(request)
  socket.on('message', (data, isBinary) => {
    if (String(data).slice(0, 5) === 'flood') flood(socket)
    else socket.send(data, { binary: isBinary })
  })
})

/** Sends 200 MiB, as fast as they are accepted. */
let flooded = 0
function flood(socket: WebSocket): void {
  const chunk = randomBytes(MiB)
  const next = () => {
    if (flooded++ < 200 && socket.readyState === WebSocket.OPEN) socket.send(chunk, next)
  }
  next()
}

const devtoolsPort = await listenOnLoopback(devtools)

/** In place of the VNC server: speaks first, then echoes everything. */
const vncFolder = mkdtempSync(join(tmpdir(), 'troupe-vnc-'))
const vncSocket = join(vncFolder, 'vnc')
const vnc = createSocketServer((socket) => {
  socket.write('RFB 003.008\n')
  socket.pipe(socket)
})
await new Promise<void>((resolve) => vnc.listen(vncSocket, resolve))

const held = {
  browser: {
    display: { xSocket: '', vncSocket, authority: '' },
    devtools: { port: devtoolsPort, path: '/devtools/browser/x' },
    scratch: { downloads: '/nowhere' },
    files: {} as SessionFiles,
  },
  ticketSecret: secret,
  epoch: 2,
}
const goneSessionId = newId('ses')
const gone = { ...held, browser: { ...held.browser, devtools: { port: 1, path: '/' } } }
const headlessSessionId = newId('ses')
const known = new Map<string, SessionAccess>([
  [sessionId, held],
  [goneSessionId, gone],
  [headlessSessionId, { ...held, browser: { ...held.browser, display: undefined } }],
])
const access = (id: string) => known.get(id)
const dataPort = await DataPort.listen('127.0.0.1', 0)
const served = {
  tickets: new Tickets({ access }, systemClock),
  commands: { messageBytes: 0, run: () => Promise.reject(new Error('no commands here')) },
  log: pino({ level: 'silent' }),
}
dataPort.serve(served)
const authority = `127.0.0.1:${dataPort.port}`

t.teardown(async () => {
  await dataPort.close()
  for (const socket of sockets.clients) socket.terminate()
  await closeServer(devtools)
  vnc.close()
  rmSync(vncFolder, { recursive: true })
})

function ticket(given: Partial<Ticket> = {}, key = secret): string {
  const content: Ticket = {
    sessionId,
    kind: 'cdp',
    epoch: 2,
    expiresAtMs: Date.now() + limits.ticketLifeMs,
    nonce: randomBytes(8).toString('hex'),
    ...given,
  }
  return signTicket(content, key)
}

function query(text: string, path: string): string {
  return new URLSearchParams({ ticket: text, path }).toString()
}

function dial(text: string, path = page, origin?: string): Promise<WebSocket> {
  const socket = new WebSocket(`ws://${authority}/cdp?${query(text, path)}`, {
    maxPayload: 256 * MiB,
    ...defined({ origin }),
  })
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket)).once('error', reject)
  })
}

/** The status of a refused upgrade, and the type its body names. */
function refusal(text: string, path = page): Promise<string> {
  const socket = new WebSocket(`ws://${authority}/cdp?${query(text, path)}`)
  return new Promise((resolve, reject) => {
    socket.once('open', () => reject(new Error('it was let in')))
    socket.once('unexpected-response', (_request, response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
      response.once('end', () =>
        resolve(`${response.statusCode} ${JSON.parse(body).error.type as string}`),
      )
    })
  })
}

function fetchText(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(`http://${authority}${path}`, (response) => {
      let body = `${response.statusCode} `
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
      response.once('end', () => resolve(body))
    }).once('error', reject)
  })
}

t.test('what comes before it is served waits', async (t) => {
  const early = await DataPort.listen('127.0.0.1', 0)
  t.teardown(() => early.close())
  const url = `127.0.0.1:${early.port}`
  const asked = fetch(`http://${url}/nothing`)
  const socket = new WebSocket(`ws://${url}/cdp?${query(ticket(), page)}`)
  t.teardown(() => socket.terminate())
  const opened = new Promise((resolve, reject) =>
    socket.once('open', resolve).once('error', reject),
  )
  await fetch(`http://${url}/`, { signal: AbortSignal.timeout(50) }).catch(() => undefined)
  early.serve(served)
  t.equal((await asked).status, 404)
  await opened
})

t.test('a ticket opens its path, without Origin and without extensions', async (t) => {
  const socket = await dial(ticket(), page, 'http://elsewhere.test')
  t.equal(upgrades.at(-1)!.url, page)
  t.equal(upgrades.at(-1)!.headers.origin, undefined)
  t.equal(upgrades.at(-1)!.headers['sec-websocket-extensions'], undefined)
  t.equal(socket.extensions, '')
  const answer = new Promise((resolve) => socket.once('message', (data) => resolve(String(data))))
  socket.send('{"id":1}')
  t.equal(await answer, '{"id":1}')
  socket.close()
})

t.test('a ticket works once', async (t) => {
  const text = ticket()
  const socket = await dial(text)
  t.equal(await refusal(text), '401 unauthorized')
  socket.close()
})

t.test('a late, forged or wrong ticket (session, kind, owner) is refused', async (t) => {
  t.equal(await refusal(ticket({ expiresAtMs: Date.now() - 1 })), '401 unauthorized')
  t.equal(await refusal(ticket({}, 'another secret')), '401 unauthorized')
  t.equal(await refusal(ticket({ sessionId: newId('ses') })), '401 unauthorized')
  t.equal(await refusal(ticket({ kind: 'http' })), '401 unauthorized')
  t.equal(await refusal(ticket({ epoch: 1 })), '401 unauthorized')
  t.equal(await refusal(''), '401 unauthorized')
  t.equal(await refusal('not.a.ticket'), '401 unauthorized')
})

t.test('no path leads outside DevTools, and such a request costs no ticket', async (t) => {
  const text = ticket()
  for (const path of [
    '/json/new?about:blank',
    '/json/close/../new',
    '/json/close/',
    '/devtools/page/../../json/new',
    '/devtools/inspector.html',
    '/devtools/page/A\r\nHost: evil',
    '/',
    '',
  ]) {
    t.equal(await refusal(text, path), '400 bad_request', JSON.stringify(path))
  }
  const socket = await dial(text)
  t.ok(socket)
  socket.close()
})

t.test(
  'targets and files of DevTools are read by ticket too, and no other path of /json is served',
  async (t) => {
    const read = (path: string) => `/http?${query(ticket({ kind: 'http' }), path)}`
    t.equal(await fetchText(read('/json/version')), '200 answer to /json/version')
    for (const path of ['/json', '/json/activate/ABC', '/json/close/ABC']) {
      t.equal(await fetchText(read(path)), `200 answer to ${path}`)
    }
    t.match(await fetchText(read('/json/new')), /^400 .*bad_request/)
    const file = '/devtools/core/i18n/locales/en-US.json'
    t.equal(await fetchText(read(file)), `200 answer to ${file}`)
    for (const path of ['/devtools/../json/new', '/devtools/.x', '/devtools/a?b', '/devtools/']) {
      t.match(await fetchText(read(path)), /^400 .*bad_request/, path)
    }
    t.match(await fetchText('/http?path=/json/list'), /^401 .*unauthorized/)
    t.match(await fetchText('/anything'), /^404 .*not_found/)
  },
)

t.test('messages of 100 MiB pass both ways', async (t) => {
  const socket = await dial(ticket())
  const sent = randomBytes(100 * MiB)
  const answer = new Promise<Buffer>((resolve) =>
    socket.once('message', (data) => resolve(data as Buffer)),
  )
  socket.send(sent)
  t.equal(sent.compare(await answer), 0)
  socket.close()
})

t.test('a slow reader slows the writer, and does not fill the agent’s memory', async (t) => {
  const socket = await dial(ticket())
  const before = process.memoryUsage.rss()
  flooded = 0
  socket.once('message', () => socket.pause())
  socket.send('flood')
  let seen = -1
  // The pipe is full when the writer makes no progress between two looks.
  await until('the writer is held up', () => {
    const still = seen === flooded && flooded > 1
    seen = flooded
    return still
  })
  t.ok(flooded < 100, `${flooded} MiB were taken before the writer had to wait`)
  t.comment(`held up after ${flooded} MiB, ${(process.memoryUsage.rss() - before) / MiB} MiB more`)
  socket.resume()
  await until('the rest arrives', () => flooded > 200, 60_000)
  socket.close()
})

t.test('a browser that does not answer gives an error answer', async (t) => {
  t.equal(await refusal(ticket({ sessionId: goneSessionId })), '503 unavailable')
})

t.test('a client that leaves before the browser answers ends nothing else', async (t) => {
  const path = `/http?${query(ticket({ kind: 'http' }), '/json/protocol')}`
  const leaving = get(`http://${authority}${path}`)
  leaving.on('error', () => undefined) // It is broken off here.
  const [held] = await until('the browser is asked', () => unanswered.length > 0 && unanswered)
  const left = once(held!, 'close')
  leaving.destroy()
  await left
  const next = `/http?${query(ticket({ kind: 'http' }), '/json/version')}`
  t.equal(await fetchText(next), '200 answer to /json/version')
})

t.test('the end of either side ends the other', async (t) => {
  const socket = await dial(ticket())
  const closed = new Promise((resolve) => socket.once('close', resolve))
  for (const other of sockets.clients) other.terminate()
  await closed
  const again = await dial(ticket())
  again.terminate()
  await until('the browser’s side is closed', () => sockets.clients.size === 0)
  t.pass()
})

const vncUrl = (text: string) => `http://${authority}/vnc?${query(text, '/')}`

t.test(
  'a ticket opens the desktop’s VNC server, byte by byte; a paused reader reads nothing',
  async (t) => {
    const got: Buffer[] = []
    let isLost = false
    const stream: ByteStream = await dialUpgrade(vncUrl(ticket({ kind: 'vnc' })), 'rfb', {
      received: (data) => got.push(Buffer.from(data)),
      lost: () => (isLost = true),
    })
    const text = () => Buffer.concat(got).toString()
    stream.send(Buffer.from('hello'))
    t.equal(text(), '', 'it opens paused')
    stream.resume()
    await until('greeting and echo', () => text() === 'RFB 003.008\nhello')
    stream.pause()
    const large = randomBytes(64 * MiB)
    for (let at = 0; at < large.length; at += MiB) stream.send(large.subarray(at, at + MiB))
    await until('what is sent is held up', () => stream.bufferedBytes > 16 * MiB)
    got.length = 0
    stream.resume()
    await until(
      'all of it came',
      () => got.reduce((sum, { length }) => sum + length, 0) >= large.length,
    )
    t.ok(Buffer.concat(got).equals(large))
    stream.close()
    t.notOk(isLost, 'closing is not losing')
  },
)

t.test(
  'the VNC server takes its own kind of ticket, and needs a browser that has a desktop',
  async (t) => {
    const listener = { received: () => undefined, lost: () => undefined }
    const dialled = (text: string) => dialUpgrade(vncUrl(text), 'rfb', listener)
    await t.rejects(dialled(ticket()), { refused: true, message: /401/ }, 'a ticket for CDP')
    const used = ticket({ kind: 'vnc' })
    const first = await dialled(used)
    await t.rejects(dialled(used), { refused: true, message: /401/ }, 'used')
    first.close()
    const headless = ticket({ kind: 'vnc', sessionId: headlessSessionId })
    await t.rejects(dialled(headless), { refused: true, message: /400/ })
  },
)
