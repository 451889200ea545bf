/** Unmodified CDP clients, as users have them, and queries that tests make through them. */
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'
import WebSocket from 'ws'
import { getUrl } from '../../../runtime/browser-host/channel/web-socket.ts'
import { relayTo } from '../lib/relay.ts'
import { processesNaming, type ProcessInfo } from '../lib/processes.ts'

/** Libraries know ports only, so a unix socket (`ws+unix:SOCKET:PATH`) gets one until it is closed. */
export async function openPort(cdpUrl: string) {
  const [, socket, path] = /^ws\+unix:([^:]+):(.*)$/.exec(cdpUrl) ?? []
  if (socket === undefined) return { url: cdpUrl, close: () => undefined }
  const relay = await relayTo(socket)
  return { url: `ws://127.0.0.1:${relay.port}${path}`, close: () => relay.close() }
}

export async function connectPlaywright(cdpUrl: string): Promise<Browser> {
  const port = await openPort(cdpUrl)
  try {
    const client = await chromium.connectOverCDP(port.url, { timeout: 60_000 })
    client.once('disconnected', () => port.close())
    return client
  } catch (error) {
    port.close()
    throw error
  }
}

export interface RawCdp {
  readonly url: string
  send<T = Record<string, unknown>>(method: string, params?: object, sessionId?: string): Promise<T>
  /** The text of each event, in order. */
  readonly events: readonly string[]
  /** Resolves with the close code and reason of the other side. */
  readonly closed: Promise<{ code: number; reason: string }>
  close(): void
}

/** A bare CDP connection, for details that a library hides, such as the close code. */
export async function connectRaw(cdpUrl: string): Promise<RawCdp> {
  const socket = new WebSocket(cdpUrl, { perMessageDeflate: false })
  const waiting = new Map<number, (message: { result: never; error?: object }) => void>()
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }))
  })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  socket.on('error', () => undefined) // What matters of an error is the close that follows it.
  const events: string[] = []
  socket.on('message', (data) => {
    const message = JSON.parse(String(data))
    if (message.id === undefined) events.push(String(data))
    waiting.get(message.id)?.(message)
    waiting.delete(message.id)
  })
  let lastId = 0
  return {
    url: cdpUrl,
    send(method, params = {}, sessionId) {
      const id = ++lastId
      socket.send(JSON.stringify({ id, method, params, sessionId }))
      return new Promise((resolve, reject) => {
        waiting.set(id, ({ result, error }) =>
          error ? reject(Object.assign(new Error(method), error)) : resolve(result),
        )
        void closed.then(({ code }) => reject(new Error(`closed with ${code}`)))
      })
    },
    events,
    closed,
    close: () => socket.close(),
  }
}

/** `/devtools/browser/ID` of the browser that a CDP address leads to. */
async function browserPath(url: string): Promise<string> {
  if (url.startsWith('ws+unix:')) return url.slice(url.lastIndexOf(':') + 1)
  const { search, host } = new URL(url)
  const answer = await fetch(`http://${host}/json/version${search}`)
  const { webSocketDebuggerUrl } = (await answer.json()) as { webSocketDebuggerUrl: string }
  return new URL(webSocketDebuggerUrl).pathname
}

/** The profile folder of the browser behind a connection. */
export async function browserProfile({ url }: RawCdp): Promise<string> {
  const pathname = await browserPath(url)
  for (const { command } of processesNaming('--user-data-dir=').filter(isBrowser)) {
    const profile = /--user-data-dir=(\S+)/.exec(command)![1]!
    if ((await devtoolsOf(profile))?.endsWith(pathname)) return profile
  }
  throw new Error(`no browser serves ${pathname}`)
}

/** The address of a browser's DevTools, bypassing the service; undefined while it is booting. */
export async function devtoolsOf(profile: string): Promise<string | undefined> {
  const file = join(profile, 'DevToolsActivePort')
  if (existsSync(file)) {
    const [port, path] = readFileSync(file, 'utf8').split('\n')
    return `ws://127.0.0.1:${port}${path}`
  }
  // In its own network Chromium was told the port and writes no file.
  const socket = `/tmp/troupe-${basename(dirname(profile)).slice(-12)}/devtools`
  const version = await getUrl('http://127.0.0.1/json/version', { unixSocket: socket }).catch(
    () => undefined,
  )
  if (version === undefined) return undefined
  const { webSocketDebuggerUrl } = JSON.parse(version) as { webSocketDebuggerUrl: string }
  return `ws+unix:${socket}:${new URL(webSocketDebuggerUrl).pathname}`
}

/** The browser's process, seen from the host: its own pid belongs to its namespace. */
export async function browserPid(client: RawCdp): Promise<number> {
  const profile = await browserProfile(client)
  const found = processesNaming(profile).find(isBrowser)
  if (!found) throw new Error(`no browser runs on ${profile}`)
  return found.pid
}

/** Chromium's main process: neither a page process nor the program that started it. */
export const isBrowser = ({ command }: ProcessInfo): boolean =>
  /^\S*chromium .*--user-data-dir=/.test(command) && !command.includes('--type=')
