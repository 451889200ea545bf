/**
 * Tracks the requests of a page that have not been answered yet, from now on. Streams are not
 * counted, since they never end. Network events are enabled only while somebody listens.
 */
import type { Clock } from '../../../runtime/lib/clock.ts'
import type { Tab } from '../tabs/tab.ts'
import { pageLimits } from '../limits.ts'

/** Request types that may stay open indefinitely; their end has no visible effect. */
const endless = new Set([
  'EventSource',
  'WebSocket',
  'Ping',
  'Media',
  'Prefetch',
  'CSPViolationReport',
])

/** The number of listeners to a tab's network; when the last one leaves, events are disabled. */
const listeners = new WeakMap<Tab, number>()

export async function listenToNetwork(tab: Tab): Promise<() => void> {
  const count = (listeners.get(tab) ?? 0) + 1
  listeners.set(tab, count)
  // The browser need not keep the bodies, since they are not read.
  const params = { maxTotalBufferSize: 0, maxResourceBufferSize: 0, maxPostDataSize: 0 }
  if (count === 1) await tab.call('Network.enable', params, pageLimits.tabEnableMs)
  let on = true
  return () => {
    if (!on) return
    on = false
    const left = listeners.get(tab)! - 1
    listeners.set(tab, left)
    // Fails for a closed tab, which needs no disabling.
    if (left === 0) void tab.call('Network.disable').catch(() => undefined)
  }
}

export class InFlight {
  /** By request id, the document (`loaderId`) that made the request. */
  readonly #requests = new Map<string, unknown>()
  readonly #off: (() => void)[]
  readonly #clock: Clock
  #lastMs: number
  #idle: (() => void) | undefined

  private constructor(tab: Tab, unlisten: () => void) {
    this.#clock = tab.clock
    this.#lastMs = tab.clock.monotonic()
    const ended = ({ requestId }: { readonly requestId: string }) => {
      if (this.#requests.delete(requestId)) this.#ended()
    }
    this.#off = [
      tab.on('Network.requestWillBeSent', ({ requestId, loaderId, type }) => {
        if (type !== undefined && endless.has(type)) return
        this.#requests.set(requestId, loaderId)
        this.#lastMs = this.#clock.monotonic()
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

  /** The time since the last request or answer; 0 while a request is pending. */
  get quietMs(): number {
    return this.#requests.size > 0 ? 0 : this.#clock.monotonic() - this.#lastMs
  }

  onIdle(listener: () => void): () => void {
    this.#idle = listener
    return () => (this.#idle = undefined)
  }

  stop(): void {
    for (const off of this.#off) off()
  }

  /** Requests of the previous document are dropped; Chromium may never report their end. */
  #navigated({ loaderId, parentId }: NavigatedFrame): void {
    if (parentId !== undefined) return
    for (const [id, by] of this.#requests) if (by !== loaderId) this.#requests.delete(id)
    this.#ended()
  }

  #ended(): void {
    this.#lastMs = this.#clock.monotonic()
    if (this.#requests.size === 0) this.#idle?.()
  }
}

interface NavigatedFrame {
  readonly loaderId: string
  readonly parentId?: string
}
