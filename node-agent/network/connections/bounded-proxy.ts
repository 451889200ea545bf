/**
 * The server behind a filter: proxy-chain's, with bounds. A page can make its browser open as many
 * connections as it likes, and a program in the browser's place can leave them unfinished; each has
 * a descriptor here and one towards its site, and all browsers share those of this process.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { RequestError, Server, type PrepareRequestFunction } from 'proxy-chain'
import { containedServer } from '../../../runtime/lib/network/contained.ts'
import type { ConnectionRoom } from './connection-room.ts'
import { filterLimits } from '../limits.ts'

/** The browser's connection for which the current work is done. */
const servedSocket = new AsyncLocalStorage<Socket>()

/** Told of each connection that this process opens, before anything can fail. */
subscribe('net.client.socket', (message) => {
  const source = servedSocket.getStore()
  if (source) tie(source, (message as { readonly socket: Socket }).socket)
})

export class BoundedProxy extends Server {
  readonly #room: ConnectionRoom
  /** Connections that are beyond the limit, and why; each gets that as its only answer. */
  readonly #beyond = new WeakMap<Socket, RequestError>()
  /** Resolved when the latest request of a connection is answered. */
  readonly #answered = new WeakMap<Socket, Promise<unknown>>()
  readonly #unanswered = new WeakMap<Socket, number>()

  constructor(room: ConnectionRoom, prepareRequestFunction: PrepareRequestFunction) {
    super({ host: '127.0.0.1', port: 0, prepareRequestFunction })
    this.#room = room
    this.server = containedServer(
      createServer({
        headersTimeout: room.requestHeadMs,
        connectionsCheckingInterval: Math.ceil(room.requestHeadMs / 10),
        // A long upload is not late; one that stands still is idle.
        requestTimeout: 0,
      }),
    )
    this.server.timeout = filterLimits.idleConnectionMs
    this.server.maxConnections = room.perBrowser + filterLimits.refusedConnections
    this.server.on('clientError', (error: Error, socket) =>
      this.onClientError(error, socket as Socket),
    )
    this.server.on('connection', (socket: Socket) => this.onConnection(socket))
    this.server.on('request', (request, response) => void this.onRequest(request, response))
    this.server.on('connect', (request, socket, head) => {
      void this.onConnect(request, socket as Socket, head)
    })
    this.server.on('drop', () => room.refuse())
    // Without a free descriptor a connection cannot be accepted; the next ones may be.
    this.server.on('error', () => room.refuse())
  }

  override onConnection(socket: Socket): void {
    super.onConnection(socket)
    if (socket.destroyed) return
    if (!this.#room.take()) return void socket.destroy()
    socket.once('close', () => this.#room.give())
    if (this.connections.size <= this.#room.perBrowser) return
    this.#room.refuse()
    const why = `This browser has ${this.#room.perBrowser} connections open, which is the most that it may have; close some of its pages.`
    this.#beyond.set(socket, new RequestError(why, 503))
  }

  /** Silent for a late head: the browser may just be about to use a connection that it kept. */
  override onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') socket.destroy()
    else super.onClientError(error, socket)
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
    const refusal = this.#beyond.get(socket)
    if (refusal) return this.failRequest(request, refusal)
    const waiting = this.#unanswered.get(socket) ?? 0
    if (waiting > filterLimits.pipelinedRequests) return void socket.destroy()
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

/** The site's connection ends with the browser's, and its failures end nothing else. */
function tie(source: Socket, target: Socket): void {
  const end = () => target.destroy()
  // What opened it listens as well; it may fail before that.
  target.on('error', () => undefined)
  target.once('close', () => source.off('close', end))
  source.once('close', end)
}
