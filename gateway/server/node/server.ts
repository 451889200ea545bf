/** The engine `node`: serves the gateway's handlers with node:http and ws. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Socket, type AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { containedServer } from '../../../runtime/lib/network/contained.ts'
import { limits } from '../../../proto/limits.ts'
import { boundWaiting } from '../../../runtime/lib/network/bound-waiting.ts'
import { statusText } from '../http.ts'
import { PortTaken, type Listener, type ListenerOptions } from '../listener.ts'
import { discardBody } from '../reply-body.ts'
import { headersTooLarge, notHttp } from '../unreadable.ts'
import { sendReply } from './send-reply.ts'
import { NodeConnection } from './connection.ts'
import { readNodeRequest } from './request.ts'
import { isHandshake, readAgain, SocketServers, upgrade } from './upgrade.ts'
import { serverLimits } from '../limits.ts'

const settings = {
  noDelay: true,
  maxHeaderSize: serverLimits.headerBytes,
  insecureHTTPParser: false,
  // Requests without Host are refused in `respond`, with a JSON body.
  requireHostHeader: false,
  headersTimeout: serverLimits.requestHeadMs,
  requestTimeout: limits.uploadMs,
  keepAliveTimeout: serverLimits.keepAliveMs,
  connectionsCheckingInterval: serverLimits.connectionCheckMs,
} as const

export async function serveNode(options: ListenerOptions): Promise<Listener> {
  const { handle, host, port } = options
  const sockets = new SocketServers(options.bounds)
  const server = containedServer(
    createServer(settings, (message, res) => void respond(message, res, handle)),
  )
  boundWaiting(server, serverLimits.connectionsWaitingMax)
  server.on('upgrade', (message: IncomingMessage, socket: Duplex, head: Buffer) => {
    // The connection cannot change its protocol while earlier requests are unanswered.
    if (!(socket instanceof Socket) || NodeConnection.of(socket).isAnswering) socket.destroy()
    else if (isHandshake(message)) void upgrade(sockets, options.upgrade, message, socket, head)
    else readAgain(server, message, socket, head)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (socket instanceof Socket) refuse(error, socket)
    else socket.destroy()
  })
  await listen(server, host, port)
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => void server.close(),
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    // After listening, an error concerns one connection that could not be accepted; reject has no
    // effect.
    server.on('error', (cause) => reject(new PortTaken(host, port, cause)))
    server.listen({ host, port, exclusive: true }, resolve)
  })
}

async function respond(
  message: IncomingMessage,
  res: ServerResponse,
  handle: ListenerOptions['handle'],
): Promise<void> {
  const connection = NodeConnection.of(message.socket)
  const { request, body, leave } = readNodeRequest(message)
  if (!connection.begin(leave)) return void message.socket.destroy()
  res.once('finish', () => connection.answered(leave))
  const isWhole = request.headers.has('host') || message.httpVersion === '1.0'
  const reply = isWhole ? await handle(request) : notHttp()
  await body.drained()
  // Without a close, the unread rest of the body would be parsed as the next request.
  if (request.gone.aborted) discardBody(reply.body)
  else sendReply(res, reply, request.gone, !body.finished)
}

/** Answers input that is not HTTP, or that took too long to become a request. */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  const connection = NodeConnection.of(socket)
  const isUnreadable = error.code?.startsWith('HPE_') === true
  if (isUnreadable && connection.isAnswering && !socket.readableEnded) {
    return connection.endWhenAnswered()
  }
  if (!isUnreadable || connection.isAnswering || !socket.writable) {
    socket.destroy()
    return
  }
  const { status, headers, body } =
    error.code === 'HPE_HEADER_OVERFLOW' ? headersTooLarge() : notHttp()
  const text = String(body)
  const lines = [
    `HTTP/1.1 ${status} ${statusText({ status })}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${text}`, () => socket.destroySoon())
}
