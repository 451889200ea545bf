/**
 * The server behind a filter, with bounds. It speaks SOCKS 5, which leaves HTTP to the browser and the
 * site, and HTTP (proxy-chain's), for the session's own proxy and for answers of our own. A page can
 * make its browser open as many connections as it likes, and a program in the browser's place can
 * leave them unfinished; each has a descriptor here and one towards its site, and all browsers share
 * those of this process.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { RequestError, Server, type PrepareRequestFunction } from 'proxy-chain'
import { noTraffic, trafficSum, type Traffic } from '../../../proto/session/browser-reports.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { containedServer } from '../../../runtime/lib/network/contained.ts'
import type { ConnectionRoom } from './connection-room.ts'
import { egressLimits } from '../limits.ts'
import type { SiteConnection } from './site-connection.ts'
import { replyFor } from './connection-errors.ts'
import { destroyAtEnd, SocketReader } from './socket-reader.ts'
import { readTarget, replyTo, socksVersion, type SocksTarget } from './socks.ts'

/** The browser's connection for which the current work is done. */
const servedSocket = new AsyncLocalStorage<Socket>()

/** Told of each connection that this process opens, before anything can fail. */
subscribe('net.client.socket', (message) => {
  const source = servedSocket.getStore()
  if (source) tie(source, (message as { readonly socket: Socket }).socket)
})

/** How a filter serves its browser. */
export interface ProxyRules {
  readonly onRequest: PrepareRequestFunction
  /** Connects to the target of a SOCKS request; throws a {@link RequestError} if it may not be. */
  readonly connect: (target: SocksTarget, source: Socket) => Promise<SiteConnection>
  /** Whether requests there are answered by `onRequest`, without a connection. */
  readonly answers: (target: SocksTarget) => boolean
}

/** A site there expects TLS, so a page of ours cannot be shown. */
const httpsPort = 443

export class BoundedProxy extends Server {
  readonly #room: ConnectionRoom
  readonly #rules: ProxyRules
  readonly #serveHttp: (socket: Socket) => void
  /** For connections of a SOCKS request that are answered here: what their paths are relative to. */
  readonly #origins = new WeakMap<Socket, string>()
  /** Connections that are refused, and why; each gets that as its only answer. */
  readonly #refusals = new WeakMap<Socket, RequestError>()
  /** Resolved when the latest request of a connection is answered. */
  readonly #answered = new WeakMap<Socket, Promise<unknown>>()
  readonly #unanswered = new WeakMap<Socket, number>()
  /** Of the connections that have closed. */
  #carried = noTraffic

  constructor(room: ConnectionRoom, rules: ProxyRules, port = 0) {
    super({ host: '127.0.0.1', port, prepareRequestFunction: rules.onRequest })
    this.#room = room
    this.#rules = rules
    this.server = containedServer(
      createServer({
        headersTimeout: room.requestHeadMs,
        connectionsCheckingInterval: Math.ceil(room.requestHeadMs / 10),
        highWaterMark: egressLimits.waitingBytes,
        // A long upload is not late; one that stands still is idle.
        requestTimeout: 0,
      }),
    )
    this.server.timeout = egressLimits.idleConnectionMs
    this.server.maxConnections = room.perBrowser + egressLimits.refusedConnections
    this.server.on('clientError', (error: Error, socket) =>
      this.onClientError(error, socket as Socket),
    )
    // HTTP's own listener gets the connections that turn out to be of HTTP.
    const [listen] = this.server.listeners('connection') as [(socket: Socket) => void]
    this.server.off('connection', listen)
    this.#serveHttp = (socket) => listen.call(this.server, socket)
    this.server.on('connection', (socket: Socket) => {
      this.onConnection(socket)
      if (!socket.destroyed) void this.#serve(socket)
    })
    this.server.on('request', (request, response) => void this.onRequest(request, response))
    this.server.on('connect', (request, socket, head) => {
      void this.onConnect(request, socket as Socket, head)
    })
    this.server.on('drop', () => room.refuse())
    // Without a free descriptor a connection cannot be accepted; the next ones may be.
    this.server.on('error', () => room.refuse())
  }

  /** What the browser's connections have carried, those that are open included. */
  get traffic(): Traffic {
    return [...this.connections.values()].map(trafficOf).reduce(trafficSum, this.#carried)
  }

  override onConnection(socket: Socket): void {
    super.onConnection(socket)
    if (socket.destroyed) return
    // Told after `connections` has lost it.
    socket.once('close', () => {
      this.#carried = trafficSum(this.#carried, trafficOf(socket))
    })
    if (!this.#room.take()) return void socket.destroy()
    socket.once('close', () => this.#room.give())
    if (this.connections.size <= this.#room.perBrowser) return
    this.#room.refuse()
    const why = `This browser has ${this.#room.perBrowser} connections open, which is the most that it may have; close some of its pages.`
    this.#refusals.set(socket, new RequestError(why, 503))
  }

  /** Silent for a late head: the browser may just be about to use a connection that it kept. */
  override onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
    const isSilent = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' || this.#origins.has(socket)
    if (isSilent) socket.destroy()
    else super.onClientError(error, socket)
  }

  async #serve(socket: Socket): Promise<void> {
    const late = systemClock.timer(this.#room.requestHeadMs, () => socket.destroy())
    try {
      const reader = new SocketReader(socket)
      const first = await reader.peek()
      if (first === undefined) return void socket.destroy()
      const target = first === socksVersion ? await readTarget(socket, reader) : undefined
      reader.end()
      if (first !== socksVersion) return this.#serveHttp(socket)
      if (!target) return void socket.destroySoon()
      late.cancel()
      await this.#serveSocks(socket, target)
    } finally {
      late.cancel()
    }
  }

  async #serveSocks(socket: Socket, target: SocksTarget): Promise<void> {
    socket.setTimeout(egressLimits.idleConnectionMs)
    const beyond = this.#refusals.get(socket)
    if (beyond) return this.#refuse(socket, target, beyond)
    if (this.#rules.answers(target)) return this.#answer(socket, target)
    const stopWatching = destroyAtEnd(socket)
    let site: SiteConnection
    try {
      site = await servedSocket.run(socket, () => this.#rules.connect(target, socket))
    } catch (error) {
      return this.#refuse(socket, target, error)
    } finally {
      stopWatching()
    }
    replyTo(socket, 'succeeded')
    site.passTo(socket)
  }

  /** To a request of HTTP a refusal is a page that says why. */
  #refuse(socket: Socket, target: SocksTarget, error: unknown): void {
    if (socket.destroyed) return
    const isRefusal = error instanceof RequestError
    if (isRefusal && [403, 503].includes(error.statusCode) && target.port !== httpsPort) {
      this.#refusals.set(socket, error)
      return this.#answer(socket, target)
    }
    replyTo(socket, replyFor(error))
    socket.destroySoon()
  }

  #answer(socket: Socket, { hostname, port }: SocksTarget): void {
    this.#origins.set(socket, `http://${hostname}:${port}`)
    replyTo(socket, 'succeeded')
    this.#serveHttp(socket)
  }

  override onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return this.#inTurn(request, response, () => super.onRequest(request, response))
  }

  override onConnect(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    return this.#inTurn(request, undefined, () => super.onConnect(request, socket, head))
  }

  /** One at a time for each connection, so that none leads to more than one at a site. */
  async #inTurn(
    request: IncomingMessage,
    response: ServerResponse | undefined,
    serve: () => Promise<void>,
  ): Promise<void> {
    const { socket } = request
    const origin = this.#origins.get(socket)
    if (origin !== undefined) request.url = origin + request.url
    const refusal = this.#refusals.get(socket)
    if (refusal) return this.failRequest(request, refusal)
    const waiting = this.#unanswered.get(socket) ?? 0
    if (waiting > egressLimits.pipelinedRequests) return void socket.destroy()
    this.#unanswered.set(socket, waiting + 1)
    const before = this.#answered.get(socket)
    const answered = new Promise<void>((resolve) => {
      response?.once('close', () => {
        this.#unanswered.set(socket, this.#unanswered.get(socket)! - 1)
        resolve()
      })
    })
    this.#answered.set(socket, answered)
    await before
    // It may have ended while it waited, or been refused what it asked for first.
    if (!socket.destroyed && socket.writable) await servedSocket.run(socket, serve)
  }
}

const trafficOf = ({ bytesRead, bytesWritten }: Socket): Traffic => ({
  sentBytes: bytesRead,
  receivedBytes: bytesWritten,
})

/** The site's connection ends with the browser's, and its failures end nothing else. */
function tie(source: Socket, target: Socket): void {
  const end = () => target.destroy()
  // What opened it listens as well; it may fail before that.
  target.on('error', () => undefined)
  target.once('close', () => source.off('close', end))
  source.once('close', end)
}
