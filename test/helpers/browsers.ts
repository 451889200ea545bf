/** Unmodified CDP clients, as users bring them, and what tests ask through them. */
import { chromium, type Browser } from 'playwright-core'
import WebSocket from 'ws'

export function connectPlaywright(cdpUrl: string): Promise<Browser> {
  return chromium.connectOverCDP(cdpUrl, { timeout: 60_000 })
}

export interface RawCdp {
  send<T = Record<string, unknown>>(method: string, params?: object, sessionId?: string): Promise<T>
  /** Resolves with the code and reason the other side closed with. */
  readonly closed: Promise<{ code: number; reason: string }>
  close(): void
}

/** A bare CDP connection: for what a library would hide, such as the close code. */
export async function connectRaw(cdpUrl: string): Promise<RawCdp> {
  const socket = new WebSocket(cdpUrl, { perMessageDeflate: false })
  const waiting = new Map<number, (message: { result: never; error?: object }) => void>()
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }))
  })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  socket.on('error', () => undefined) // What matters of an error is the close that follows it.
  socket.on('message', (data) => {
    const message = JSON.parse(String(data))
    waiting.get(message.id)?.(message)
    waiting.delete(message.id)
  })
  let lastId = 0
  return {
    send(method, params = {}, sessionId) {
      const id = ++lastId
      socket.send(JSON.stringify({ id, method, params, sessionId }))
      return new Promise((resolve, reject) => {
        waiting.set(id, ({ result, error }) => (error ? reject(error) : resolve(result)))
        void closed.then(({ code }) => reject(new Error(`closed with ${code}`)))
      })
    },
    closed,
    close: () => socket.close(),
  }
}

/** The process of the browser behind a connection. */
export async function browserPid(client: RawCdp): Promise<number> {
  type Info = { processInfo: { type: string; id: number }[] }
  const { processInfo } = await client.send<Info>('SystemInfo.getProcessInfo')
  return processInfo.find(({ type }) => type === 'browser')!.id
}
