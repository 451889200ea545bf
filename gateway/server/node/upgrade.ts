/**
 * Upgrade requests: those for a WebSocket, and others that node:http reports with the same event.
 */
import { ServerResponse, type IncomingMessage, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { WebSocketServer } from 'ws'
import { contained } from '../../../runtime/lib/network/contained.ts'
import type { SocketHandler } from '../http.ts'
import { boundOf, type ListenerOptions, type SocketBound } from '../listener.ts'
import { discardBody } from '../reply-body.ts'
import { sendReply } from './send-reply.ts'
import { NodeConnection } from './connection.ts'
import { readNodeRequest } from './request.ts'
import { openSocket } from './socket.ts'
import { serverLimits } from '../limits.ts'

const keyPattern = /^[+/0-9A-Za-z]{22}==$/

/** Everything else is handled as a plain request, whose answer says what is missing. */
export function isHandshake({ method, headers }: IncomingMessage): boolean {
  const key = headers['sec-websocket-key']
  const version = headers['sec-websocket-version']
  return (
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    key !== undefined &&
    keyPattern.test(key) &&
    (version === '13' || version === '8')
  )
}

/** One WebSocket server for each size limit, and one for all other paths. */
export class SocketServers {
  readonly #bounds: ListenerOptions['bounds']
  readonly #bounded: ReadonlyMap<SocketBound, WebSocketServer>
  // Larger than the limit of one message, which is refused with a reason.
  readonly #others = openSocketServer(serverLimits.cdpBufferedBytes)

  constructor(bounds: ListenerOptions['bounds']) {
    this.#bounds = bounds
    this.#bounded = new Map(
      bounds?.map((bound) => [bound, openSocketServer(bound.messageBytes)] as const),
    )
  }

  for(path: string): WebSocketServer {
    const bound = boundOf(this.#bounds, path)
    return (bound && this.#bounded.get(bound)) ?? this.#others
  }
}

/** No compression: CDP is local or fast, and deflate costs more than it saves. */
function openSocketServer(maxPayload: number): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload,
    maxFragments: serverLimits.socketFragments,
    handleProtocols: () => false,
  })
}

/** `head` contains bytes that the client sent after its handshake. */
export async function upgrade(
  sockets: SocketServers,
  ask: ListenerOptions['upgrade'],
  message: IncomingMessage,
  socket: Socket,
  head: Buffer,
): Promise<void> {
  const incoming = readNodeRequest(message)
  const { request, leave } = incoming
  const connection = NodeConnection.of(socket)
  connection.begin(leave)
  const unwatch = watchEnd(socket)
  const reply = await ask(request)
  unwatch()
  connection.answered(leave)
  const isGone = request.gone.aborted || !socket.readable || !socket.writable
  if (!reply.accepted) {
    if (isGone) discardBody(reply.reply.body)
    else refuse(message, socket, request.gone, reply.reply)
  } else if (isGone) {
    socket.destroy()
    reply.handler.closed(1006, 'The client left before the socket opened.')
  } else {
    accept(sockets.for(request.path), message, socket, head, reply.handler)
  }
}

function accept(
  sockets: WebSocketServer,
  message: IncomingMessage,
  socket: Socket,
  head: Buffer,
  handler: SocketHandler,
): void {
  sockets.handleUpgrade(message, socket, head, (opened) => openSocket(opened, socket, handler))
}

/**
 * Keeps at most one stream buffer of early messages: nothing is read until the answer is known.
 * Node reports the end of a stream only to readers, so this reads an empty buffer to notice it and
 * close.
 */
function watchEnd(socket: Socket): () => void {
  const look = () => {
    if (socket.readableLength === 0) socket.read()
  }
  const end = () => socket.destroy()
  const failed = () => {} // The close that follows is handled.
  socket.on('readable', look).on('end', end).on('error', failed)
  return () => void socket.off('readable', look).off('end', end).off('error', failed)
}

function refuse(
  message: IncomingMessage,
  socket: Socket,
  gone: AbortSignal,
  reply: Parameters<typeof sendReply>[1],
): void {
  const res = contained(new ServerResponse(message))
  res.assignSocket(socket)
  socket.once('timeout', () => socket.destroy())
  // With unread bytes the close would become a reset, which can overtake the answer.
  socket.resume()
  res.once('finish', () => endSoon(socket))
  sendReply(res, reply, gone, true)
}

/** Ends the connection, also if its client keeps its own side open and goes on sending. */
function endSoon(socket: Socket): void {
  socket.end()
  const timer = setTimeout(() => socket.destroy(), serverLimits.refusalReadMs)
  socket.once('close', () => clearTimeout(timer))
}

/**
 * node:http reports every request that asks for another protocol as an upgrade and does not read
 * its body; Java's client asks for HTTP/2 this way. This parses it again without the upgrade
 * header, as an ordinary request.
 */
export function readAgain(
  server: Server,
  message: IncomingMessage,
  socket: Socket,
  head: Buffer,
): void {
  const { rawHeaders, method, url, httpVersion } = message
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    const value = rawHeaders[at + 1]!
    if (name.toLowerCase() !== 'connection') lines.push(`${name}: ${value}`)
    else if (/\bclose\b/i.test(value)) lines.push('connection: close')
  }
  const again = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  socket.unshift(Buffer.concat([again, head]))
  server.emit('connection', socket)
}
