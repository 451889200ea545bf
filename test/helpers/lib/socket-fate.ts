/** Opens a plain WebSocket and reports what happens to it. */
import { once } from 'node:events'
import WebSocket from 'ws'

/** `status`: 101, or that of the refusal; `closed`: the code of its close frame. */
export async function openSocket(url: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(url, { headers })
  const closed = new Promise<number>((resolve) => socket.once('close', (code) => resolve(code)))
  const refused = new Promise<number>((resolve) => {
    socket.once('unexpected-response', (_, { statusCode }) => resolve(statusCode!))
    socket.on('error', () => undefined)
  })
  const status = await Promise.race([
    once(socket, 'open').then(
      () => 101,
      () => refused,
    ),
    refused,
  ])
  return { status, closed, close: () => socket.terminate() }
}
