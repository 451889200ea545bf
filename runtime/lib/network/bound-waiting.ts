/**
 * Bounds the connections of an HTTP server that are in no request: those that have not sent a whole
 * head yet, and those between two requests. Beyond the limit the one that has waited longest is
 * closed. So clients that only open connections close each other's, while a client that sends its
 * request at once is served, and requests and sockets in progress are left alone.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

export function boundWaiting(server: Server, waitingMax: number): void {
  /** The one that has waited longest is the first. */
  const waiting = new Set<Duplex>()
  /** A client may send requests without waiting for the answers. */
  const unanswered = new WeakMap<Duplex, number>()
  const wait = (socket: Duplex) => {
    if (socket.destroyed) return
    waiting.add(socket)
    for (const oldest of waiting) {
      if (waiting.size <= waitingMax) break
      waiting.delete(oldest)
      oldest.destroy()
    }
  }
  server.on('connection', (socket: Duplex) => {
    socket.once('close', () => waiting.delete(socket))
    wait(socket)
  })
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    waiting.delete(socket)
    unanswered.set(socket, (unanswered.get(socket) ?? 0) + 1)
    response.once('close', () => {
      const left = unanswered.get(socket)! - 1
      unanswered.set(socket, left)
      if (left === 0) wait(socket)
    })
  })
  server.on('upgrade', ({ socket }: IncomingMessage) => void waiting.delete(socket))
}
