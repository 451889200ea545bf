/** Relays bytes between two sockets, in both directions. */
import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { pipeline, type Duplex } from 'node:stream'

export interface RelayedSocket {
  readonly socket: Duplex
  /** Bytes that have arrived after the headers. */
  readonly head: Buffer
}

/** Passes on the gateway's answer to an upgrade, and then all bytes in both directions. */
export function joinSockets(
  client: RelayedSocket,
  gateway: RelayedSocket,
  answer: IncomingMessage,
): void {
  const lines = [`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}`]
  for (let i = 0; i < answer.rawHeaders.length; i += 2) {
    lines.push(`${answer.rawHeaders[i]}: ${answer.rawHeaders[i + 1]}`)
  }
  client.socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  relay(client, gateway.socket)
  relay(gateway, client.socket)
}

function relay({ socket: from, head }: RelayedSocket, to: Duplex): void {
  if (from instanceof Socket) from.setNoDelay(true).setTimeout(0)
  if (head.length > 0) to.write(head)
  // An error of one socket destroys both; an end is passed on after all bytes sent before it.
  pipeline(from, to, () => undefined)
}
