/** Unmodified CDP clients, as users bring them, and what tests ask through them. */
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'
import WebSocket from 'ws'
import { getUrl } from '../../runtime/channel/web-socket.ts'
import { processesNaming, type ProcessInfo } from './processes.ts'

export function connectPlaywright(cdpUrl: string): Promise<Browser> {
  return chromium.connectOverCDP(cdpUrl, { timeout: 60_000 })
}

export interface RawCdp {
  readonly url: string
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
    url: cdpUrl,
    send(method, params = {}, sessionId) {
      const id = ++lastId
      socket.send(JSON.stringify({ id, method, params, sessionId }))
      return new Promise((resolve, reject) => {
        waiting.set(id, ({ result, error }) =>
          error ? reject(Object.assign(new Error(), error)) : resolve(result),
        )
        void closed.then(({ code }) => reject(new Error(`closed with ${code}`)))
      })
    },
    closed,
    close: () => socket.close(),
  }
}

/** The folder of the profile of the browser behind a connection. */
export async function browserProfile({ url }: RawCdp): Promise<string> {
  const { search, host } = new URL(url)
  const answer = await fetch(`http://${host}/json/version${search}`)
  const { webSocketDebuggerUrl } = (await answer.json()) as { webSocketDebuggerUrl: string }
  const { pathname } = new URL(webSocketDebuggerUrl)
  for (const { command } of processesNaming('--user-data-dir=').filter(isBrowser)) {
    const profile = /--user-data-dir=(\S+)/.exec(command)![1]!
    if ((await devtoolsOf(profile))?.endsWith(pathname)) return profile
  }
  throw new Error(`no browser serves ${pathname}`)
}

/** The address of a browser's DevTools, past the service; undefined while it is booting. */
export async function devtoolsOf(profile: string): Promise<string | undefined> {
  const file = join(profile, 'DevToolsActivePort')
  if (existsSync(file)) {
    const [port, path] = readFileSync(file, 'utf8').split('\n')
    return `ws://127.0.0.1:${port}${path}`
  }
  // Chromium writes none where it was told the port, in a network of its own.
  const socket = `/tmp/troupe-${basename(dirname(profile)).slice(-12)}/devtools`
  const version = await getUrl('http://127.0.0.1/json/version', { unixSocket: socket }).catch(
    () => undefined,
  )
  if (version === undefined) return undefined
  const { webSocketDebuggerUrl } = JSON.parse(version) as { webSocketDebuggerUrl: string }
  return `ws+unix:${socket}:${new URL(webSocketDebuggerUrl).pathname}`
}

/** The process of the browser behind a connection; what it calls itself is of its own namespace. */
export async function browserPid(client: RawCdp): Promise<number> {
  const profile = await browserProfile(client)
  const found = processesNaming(profile).find(isBrowser)
  if (!found) throw new Error(`no browser runs on ${profile}`)
  return found.pid
}

/** Chromium itself: neither one of its processes for pages nor what it was started by. */
export const isBrowser = ({ command }: ProcessInfo): boolean =>
  /^\S*chromium .*--user-data-dir=/.test(command) && !command.includes('--type=')
