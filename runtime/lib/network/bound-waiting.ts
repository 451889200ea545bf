/**
 * Bounds the connections of an HTTP server that are in no request: those that have not sent a whole
 * head yet, and those between two requests. Beyond the limit the one of the larger kind that has
 * waited longest is closed. So clients that only open connections close each other's, and those that keep
 * theirs close each other's, while a client that sends its request at once is served, and requests
 * and sockets in progress are left alone.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

export function boundWaiting(server: Server, waitingMax: number): void {
  /** Of each kind, the one that has waited longest is the first. */
  const fresh = new Set<Duplex>()
  const kept = new Set<Duplex>()
  /** A client may send requests without waiting for the answers. */
  const unanswered = new WeakMap<Duplex, number>()
  const wait = (socket: Duplex, kind: Set<Duplex>) => {
    if (socket.destroyed) return
    kind.add(socket)
    while (fresh.size + kept.size > waitingMax) {
      const larger = fresh.size > kept.size ? fresh : kept
      const [oldest] = larger
      larger.delete(oldest!)
      oldest!.destroy()
    }
  }
  const waitNoMore = (socket: Duplex) => {
    fresh.delete(socket)
    kept.delete(socket)
  }
  server.on('connection', (socket: Duplex) => {
    socket.once('close', () => waitNoMore(socket))
    wait(socket, fresh)
  })
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    waitNoMore(socket)
    unanswered.set(socket, (unanswered.get(socket) ?? 0) + 1)
    response.once('close', () => {
      const left = unanswered.get(socket)! - 1
      unanswered.set(socket, left)
      if (left === 0) wait(socket, kept)
    })
  })
  server.on('upgrade', ({ socket }: IncomingMessage) => waitNoMore(socket))
}
