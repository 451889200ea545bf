/**
 * What a page has asked the network for and not got yet, from now on. Streams never end and are not
 * counted. Chromium tells of the network only while somebody listens, which is as long as this is.
 */
import { limits } from '../../../proto/limits.ts'
import type { Tab } from '../tab.ts'

/** They go on for as long as they like, and show nothing of themselves by ending. */
const endless = new Set([
  'EventSource',
  'WebSocket',
  'Ping',
  'Media',
  'Prefetch',
  'CSPViolationReport',
])

/** How many listen to the network of a tab; the last one switches it off. */
const listeners = new WeakMap<Tab, number>()

export async function listenToNetwork(tab: Tab): Promise<() => void> {
  const count = (listeners.get(tab) ?? 0) + 1
  listeners.set(tab, count)
  // What is received is not kept in the browser: nobody will ask for it.
  const params = { maxTotalBufferSize: 0, maxResourceBufferSize: 0, maxPostDataSize: 0 }
  if (count === 1) await tab.call('Network.enable', params, limits.tabEnableMs)
  let on = true
  return () => {
    if (!on) return
    on = false
    const left = listeners.get(tab)! - 1
    listeners.set(tab, left)
    // A tab that has gone listens to nothing.
    if (left === 0) void tab.call('Network.disable').catch(() => undefined)
  }
}

export class InFlight {
  /** With the document that asked. */
  readonly #requests = new Map<string, unknown>()
  readonly #off: (() => void)[]
  #lastMs = performance.now()
  #idle: (() => void) | undefined

  private constructor(tab: Tab, unlisten: () => void) {
    const ended = ({ requestId }: { readonly requestId: string }) => {
      if (this.#requests.delete(requestId)) this.#ended()
    }
    this.#off = [
      tab.on('Network.requestWillBeSent', ({ requestId, loaderId, type }) => {
        if (type !== undefined && endless.has(type)) return
        this.#requests.set(requestId, loaderId)
        this.#lastMs = performance.now()
      }),
      tab.on('Page.frameNavigated', ({ frame }) => this.#navigated(frame as NavigatedFrame)),
      tab.on('Network.loadingFinished', ended),
      tab.on('Network.loadingFailed', ended),
      unlisten,
    ]
  }

  static async watch(tab: Tab): Promise<InFlight> {
    return new InFlight(tab, await listenToNetwork(tab))
  }

  get count(): number {
    return this.#requests.size
  }

  /** How long nothing has been asked for or got; 0 while something is on its way. */
  get quietMs(): number {
    return this.#requests.size > 0 ? 0 : performance.now() - this.#lastMs
  }

  onIdle(told: () => void): () => void {
    this.#idle = told
    return () => (this.#idle = undefined)
  }

  stop(): void {
    for (const off of this.#off) off()
  }

  /** What the document before had asked for comes to nobody, and may never be told to have ended. */
  #navigated({ loaderId, parentId }: NavigatedFrame): void {
    if (parentId !== undefined) return
    for (const [id, by] of this.#requests) if (by !== loaderId) this.#requests.delete(id)
    this.#ended()
  }

  #ended(): void {
    this.#lastMs = performance.now()
    if (this.#requests.size === 0) this.#idle?.()
  }
}

interface NavigatedFrame {
  readonly loaderId: string
  readonly parentId?: string
}
