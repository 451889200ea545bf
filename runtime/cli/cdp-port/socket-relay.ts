/** Two sockets of which each gets what the other sends, byte for byte. */
import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { pipeline, type Duplex } from 'node:stream'

export interface RelayedSocket {
  readonly socket: Duplex
  /** What has arrived after the headers. */
  readonly head: Buffer
}

/** Passes the gateway's answer to an upgrade on, and from then on all bytes in both directions. */
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
  // What breaks one socket ends both, and an end is passed on after all that was sent before it.
  pipeline(from, to, () => undefined)
}
