/**
 * An HTTP server on loopback in front of one session's `cdp_url`. It adds the key to requests of
 * `/json/*` and to sockets, and its callers never see the key.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex, Writable } from 'node:stream'
import { containedServer } from '../../lib/network/contained.ts'
import { CommandFailed } from '../command.ts'
import { boundWaiting } from '../../lib/network/bound-waiting.ts'
import { cliLimits } from '../limits.ts'
import { callerRefusal } from './local-caller.ts'
import { GatewayEndpoint } from './gateway-endpoint.ts'
import { joinSockets } from './socket-relay.ts'

const textHeaders = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }

export class CdpPort {
  /** Resolves with the service's message when it reports that the session has ended. */
  readonly sessionEnded: Promise<string>
  readonly #gateway: GatewayEndpoint
  readonly #server: Server
  readonly #sockets = new Set<Duplex>()
  #reportEnd!: (words: string) => void

  constructor(cdpUrl: string) {
    this.#gateway = new GatewayEndpoint(cdpUrl)
    this.sessionEnded = new Promise((resolve) => (this.#reportEnd = resolve))
    const deadlines = {
      headersTimeout: cliLimits.localHeadMs,
      connectionsCheckingInterval: cliLimits.localHeadCheckMs,
    }
    this.#server = containedServer(
      createServer(deadlines, (request, reply) => void this.#answer(request, reply)),
    )
    this.#server.maxConnections = cliLimits.cdpPortConnectionsMax
    // Requests and sockets have the rest of the connections for themselves.
    boundWaiting(this.#server, cliLimits.localWaitingMax)
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head))
  }

  /** Returns the port; 0 takes a free one. Throws `CommandFailed` if the port is in use. */
  async listen(port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error: NodeJS.ErrnoException) => {
        const why = error.code === 'EADDRINUSE' ? 'is in use: choose another --port' : error.message
        reject(new CommandFailed(`127.0.0.1:${port} ${why}`, error))
      })
      this.#server.listen(port, '127.0.0.1', resolve)
    })
    return (this.#server.address() as AddressInfo).port
  }

  /** Closes every connection. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    for (const socket of this.#sockets) socket.destroy()
    this.#server.closeAllConnections()
    await closed
  }

  async #answer(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const { pathname } = localUrl(request)
    const refusal = callerRefusal(request, this.#port)
    if (refusal !== undefined) return send(reply, 403, refusal)
    if (!/^\/json(\/|$)/.test(pathname)) {
      return send(
        reply,
        404,
        `There is nothing at ${pathname}: this port serves /json/* and sockets.`,
      )
    }
    if (request.method !== 'GET' && request.method !== 'PUT') {
      return send(reply, 405, 'Send GET or PUT.')
    }
    try {
      const { status, contentType, body } = await this.#gateway.discover(
        request.method,
        pathname,
        request.headers.host!,
      )
      const headers = { 'content-type': contentType, 'cache-control': 'no-store' }
      this.#lookForEnd(status, body, reply)
      reply.writeHead(status, headers).end(body)
    } catch (error) {
      send(reply, 502, `The service does not answer: ${(error as Error).message}`)
    }
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    const { pathname } = localUrl(request)
    const refusal = callerRefusal(request, this.#port)
    if (refusal !== undefined) return refuseUpgrade(socket, '403 Forbidden', refusal)
    if (pathname !== '/' && !pathname.startsWith('/devtools/')) {
      return refuseUpgrade(socket, '404 Not Found', `There is no socket at ${pathname}.`)
    }
    const dialled = this.#gateway.dial(pathname, request.headers)
    socket.once('close', () => dialled.destroy())
    dialled
      .once('upgrade', (answer, upstream, first) =>
        joinSockets({ socket, head }, { socket: upstream, head: first }, answer),
      )
      .once('response', (answer) => void this.#passRefusal(answer, socket))
      .once('error', ({ message }) =>
        refuseUpgrade(socket, '502 Bad Gateway', `The service does not answer: ${message}`),
      )
      .end()
  }

  /** Passes on the gateway's answer to an upgrade that it refuses. */
  async #passRefusal(answer: IncomingMessage, socket: Duplex): Promise<void> {
    try {
      const status = `${answer.statusCode} ${answer.statusMessage}`
      const body = await this.#gateway.textOf(answer)
      this.#lookForEnd(answer.statusCode!, body, socket)
      refuseUpgrade(socket, status, body, answer.headers['content-type'])
    } catch {
      socket.destroy() // The gateway's answer was cut off, so this one is too.
    }
  }

  /** The end is reported once `answer` has been sent, because this server then closes. */
  #lookForEnd(status: number, body: string, answer: Writable): void {
    if (status !== 410) return
    answer.once('finish', () => this.#reportEnd(errorMessage(body) ?? 'The session has ended.'))
  }

  get #port(): number {
    return (this.#server.address() as AddressInfo).port
  }
}

/** Never throws: an invalid request target becomes `/`. */
const localUrl = ({ url = '/' }: IncomingMessage): URL =>
  URL.canParse(url, 'http://local') ? new URL(url, 'http://local') : new URL('http://local/')

function send(reply: ServerResponse, status: number, text: string): void {
  reply.writeHead(status, textHeaders).end(`${text}\n`)
}

function refuseUpgrade(socket: Duplex, status: string, text: string, type?: string): void {
  const head = [
    `HTTP/1.1 ${status}`,
    `content-type: ${type ?? textHeaders['content-type']}`,
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ]
  // Not left open if the client keeps its own side open.
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy())
}

function errorMessage(body: string): string | undefined {
  try {
    return (JSON.parse(body) as { error?: { message?: string } }).error?.message
  } catch {
    return undefined
  }
}
