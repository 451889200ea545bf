/**
 * The port to which gateways on other hosts connect for byte channels. A ticket opens one channel:
 * to Chromium's port on loopback, where the upgrade request is repeated, or to the socket of the
 * desktop's VNC server. From then on the two sockets are piped. Bytes are not changed or buffered
 * here; a slow reader slows the writer down through TCP alone. A ticket for commands opens a
 * connection that the agent itself answers.
 */
import { contained, containedServer } from '../../runtime/lib/network/contained.ts'
import { defined } from '../../proto/defined.ts'
import {
  createServer,
  request,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { connect, type AddressInfo, type NetConnectOpts, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import type { Ticket } from '../../proto/browser-host/ticket.ts'
import { inspectorPath } from '../../proto/browser-host/inspector-path.ts'
import { boundWaiting } from '../../runtime/lib/network/bound-waiting.ts'
import { answerFiles, filePath } from '../files/endpoint.ts'
import { serveCommands, type SessionCommandRunner } from './command-channel.ts'
import { refuseRequest, refuseUpgrade } from './refusal.ts'
import type { Tickets } from './tickets.ts'
import { dataPortLimits } from './limits.ts'

const devtoolsPath = /^\/devtools\/(browser|page)\/[A-Za-z0-9-]{1,64}$/
const jsonPath = /^\/json(\/(version|list|protocol|(activate|close)\/[A-Za-z0-9-]{1,64}))?$/
/** Either of them, as one test. */
const readablePath = new RegExp(`${jsonPath.source}|${inspectorPath.source}`)
/** The path of the channels that have only one. */
const rootPath = /^\/$/
const websocketKey = /^[A-Za-z0-9+/]{22}==$/

export interface DataPortOptions {
  readonly tickets: Tickets
  readonly commands: SessionCommandRunner
  readonly log: Logger
}

export class DataPort {
  readonly port: number
  readonly #server: Server
  readonly #channels = new Set<Duplex>()
  /** Requests that come before `serve` wait for it. */
  readonly #served: Promise<DataPortOptions>
  #serve!: (options: DataPortOptions) => void

  private constructor(server: Server) {
    this.#server = server
    this.port = (server.address() as AddressInfo).port
    this.#served = new Promise((resolve) => (this.#serve = resolve))
    server.on('request', (incoming, response) => {
      void this.#served.then((options) => answer(incoming, response, options))
    })
    server.on('upgrade', (incoming, socket, head) => {
      this.#channels.add(socket)
      socket.once('close', () => this.#channels.delete(socket))
      void this.#served.then((options) => upgrade(incoming, socket as Socket, head, options))
    })
  }

  /** Listens before anything can be served, because claims contain the address. */
  static async listen(host: string, port: number): Promise<DataPort> {
    // Uploads over slow connections take long.
    const server = containedServer(
      createServer({
        requestTimeout: limits.uploadMs,
        maxHeaderSize: dataPortLimits.dataHeaderBytes,
        headersTimeout: dataPortLimits.requestHeadMs,
        keepAliveTimeout: dataPortLimits.keepAliveMs,
        connectionsCheckingInterval: dataPortLimits.connectionCheckMs,
      }),
    )
    server.setTimeout(dataPortLimits.requestSilenceMs)
    boundWaiting(server, dataPortLimits.connectionsWaitingMax)
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, resolve)
    })
    return new DataPort(server)
  }

  serve(options: DataPortOptions): void {
    this.#serve(options)
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
      for (const socket of this.#channels) socket.destroy()
    })
  }
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  { tickets, log }: DataPortOptions,
): Promise<void> {
  try {
    if (incoming.url?.startsWith('/files?')) await serveFiles(incoming, response, tickets)
    else list(incoming, response, tickets)
  } catch (error) {
    // A partly sent answer cannot be replaced, and a client that has left needs none.
    if (response.headersSent || response.destroyed) response.destroy()
    else refuseRequest(response, asServiceError(error, log))
  }
}

function upgrade(
  incoming: IncomingMessage,
  socket: Socket,
  head: Buffer,
  { tickets, commands, log }: DataPortOptions,
): void {
  if (socket.destroyed) return
  try {
    const { pathname } = urlOf(incoming)
    if (pathname === '/commands') {
      const { sessionId } = admit(incoming, 'commands', rootPath, tickets)
      serveCommands(socket, head, sessionId, commands)
    } else splice(incoming, socket, head, tickets)
  } catch (error) {
    refuseUpgrade(socket, asServiceError(error, log))
  }
}

/** The path is checked before the ticket is used up. */
function admit(incoming: IncomingMessage, kind: Ticket['kind'], paths: RegExp, tickets: Tickets) {
  const url = urlOf(incoming)
  if (url.pathname !== `/${kind}`) throw new ServiceError('not_found', 'There is no such path.')
  const path = url.searchParams.get('path') ?? ''
  if (!paths.test(path)) throw new ServiceError('bad_request', 'This path is not available.')
  const { browser, sessionId } = tickets.redeem(url.searchParams.get('ticket') ?? '', kind)
  return { browser, devtools: browser.devtools, path, sessionId }
}

async function serveFiles(incoming: IncomingMessage, response: ServerResponse, tickets: Tickets) {
  const { browser, path } = admit(incoming, 'files', filePath, tickets)
  await answerFiles(incoming, response, path, browser.files)
}

const urlOf = ({ url }: IncomingMessage) => new URL(url ?? '/', 'http://agent')

/** The destination of a channel, and what is sent to either side before its bytes. */
interface Way {
  readonly to: NetConnectOpts
  readonly toThere: string
  readonly toHere: string
}

function wayToBrowser(incoming: IncomingMessage, tickets: Tickets): Way {
  const key = incoming.headers['sec-websocket-key'] ?? ''
  if (incoming.headers.upgrade?.toLowerCase() !== 'websocket' || !websocketKey.test(key)) {
    throw new ServiceError('bad_request', 'This is not a WebSocket handshake.')
  }
  const { devtools, path } = admit(incoming, 'cdp', devtoolsPath, tickets)
  const { port, socket } = devtools
  const to = socket === undefined ? { host: '127.0.0.1', port, noDelay: true } : { path: socket }
  // Chromium itself answers the handshake.
  return { to, toThere: handshake(path, port, key), toHere: '' }
}

function wayToDesktop(incoming: IncomingMessage, tickets: Tickets): Way {
  const { browser } = admit(incoming, 'vnc', rootPath, tickets)
  const path = browser.display?.vncSocket
  if (path === undefined) {
    throw new ServiceError('bad_request', 'This browser is headless: it has no desktop.')
  }
  const answer = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: rfb', '', '']
  return { to: { path }, toThere: '', toHere: answer.join('\r\n') }
}

function splice(incoming: IncomingMessage, socket: Socket, head: Buffer, tickets: Tickets): void {
  const isDesktop = urlOf(incoming).pathname === '/vnc'
  const way = (isDesktop ? wayToDesktop : wayToBrowser)(incoming, tickets)
  const browser = contained(connect(way.to))
  browser.setTimeout(dataPortLimits.dataPortDialMs, () => browser.destroy())
  socket.setNoDelay(true)
  socket.setTimeout(0)
  // A gateway whose host has vanished does not say goodbye.
  socket.setKeepAlive(true, dataPortLimits.channelKeepAliveMs)
  let connected = false
  browser.once('connect', () => {
    connected = true
    browser.setTimeout(0)
    socket.write(way.toHere)
    browser.write(way.toThere)
    browser.write(head)
    socket.pipe(browser)
    browser.pipe(socket)
  })
  browser.once('close', () => {
    if (connected) socket.destroySoon()
    else refuseUpgrade(socket, new ServiceError('unavailable', 'The browser does not answer.'))
  })
  socket.once('close', () => browser.destroy())
}

/**
 * Without Origin, which Chromium would refuse, and without extensions, so that frames stay as they
 * are.
 */
function handshake(path: string, port: number, key: string): string {
  return [
    `GET ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${key}`,
    '',
    '',
  ].join('\r\n')
}

function list(incoming: IncomingMessage, response: ServerResponse, tickets: Tickets): void {
  if (incoming.method !== 'GET') {
    throw new ServiceError('method_not_allowed', 'Only GET is allowed here.')
  }
  const { devtools, path } = admit(incoming, 'http', readablePath, tickets)
  const { port, socket: socketPath } = devtools
  const to = { host: '127.0.0.1', port, ...defined({ socketPath }) }
  const upstream = contained(request({ ...to, path, timeout: dataPortLimits.dataPortDialMs }))
  const lost = () => {
    if (response.headersSent) response.destroy()
    else refuseRequest(response, new ServiceError('unavailable', 'The browser does not answer.'))
  }
  upstream.once('timeout', () => upstream.destroy())
  upstream.once('error', lost)
  upstream.once('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, {
      'content-type': answer.headers['content-type'] ?? 'application/json',
    })
    answer.once('error', lost)
    answer.pipe(response)
  })
  response.once('close', () => upstream.destroy())
  upstream.end()
}

function asServiceError(error: unknown, log: Logger): ServiceError {
  if (error instanceof ServiceError) return error
  log.error({ err: error }, 'data port failed')
  return new ServiceError(
    'internal',
    'Something failed on our side; the service log has the details.',
  )
}
