/**
 * Tracks the requests of a page that have not been answered yet, from now on. Streams and long
 * polls are not counted, since they never end. Network events are enabled only while there are
 * listeners.
 */
import type { Clock } from '../../../runtime/lib/clock.ts'
import type { Tab } from '../tabs/tab.ts'
import { requestEndpoint, isBackgroundRequest, isStreamedAnswer } from './background-requests.ts'
import { pageLimits } from '../limits.ts'

interface Listening {
  /** The number of listeners to a tab's network; when the last one leaves, events are disabled. */
  count: number
  readonly enabled: Promise<unknown>
}

const listening = new WeakMap<Tab, Listening>()

/** Throws `dialog_open` at once if the page shows a dialog, or shows one before it has answered. */
export async function enableNetworkEvents(tab: Tab): Promise<() => void> {
  const shared = listening.get(tab) ?? startListening(tab)
  shared.count++
  let on = true
  const stop = () => {
    if (!on) return
    on = false
    if (--shared.count > 0) return
    listening.delete(tab)
    // Fails for a closed tab, where nothing has to be disabled.
    void tab.call('Network.disable').catch(() => undefined)
  }
  try {
    await shared.enabled
  } catch (error) {
    // Otherwise the next listener would assume that the events are enabled.
    stop()
    throw error
  }
  return stop
}

/** For `Network.enable`: the browser need not keep bodies, which are not read. */
export const noBodies = { maxTotalBufferSize: 0, maxResourceBufferSize: 0, maxPostDataSize: 0 }

function startListening(tab: Tab): Listening {
  const enabled = tab.send('Network.enable', noBodies, pageLimits.tabEnableMs)
  const shared: Listening = { count: 0, enabled }
  listening.set(tab, shared)
  return shared
}

export class InFlight {
  /** By request id, the document (`loaderId`) that made the request. */
  readonly #requests = new Map<string, unknown>()
  /** Requests that were sent since listening started, including those that are not waited for. */
  readonly #started = new Set<string>()
  /**
   * The endpoints of requests that started before, with the time of their response: an endpoint
   * that is requested again at once is a long poll.
   */
  readonly #answered = new Map<string, number>()
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
      tab.on('Network.requestWillBeSent', ({ requestId, loaderId, type, request, timestamp }) => {
        const { url } = request
        this.#started.add(requestId)
        if (isBackgroundRequest({ type, url, loaderId })) return
        if (this.#asksAgain(url, timestamp)) return
        this.#requests.set(requestId, loaderId)
        this.#lastMs = this.#clock.monotonic()
      }),
      tab.on('Network.responseReceived', ({ requestId, timestamp, response }) => {
        const { url, mimeType } = response
        if (!this.#started.has(requestId)) this.#answered.set(requestEndpoint(url), timestamp)
        if (isStreamedAnswer(mimeType)) ended({ requestId })
      }),
      tab.on('Page.frameNavigated', ({ frame }) => this.#navigated(frame as NavigatedFrame)),
      tab.on('Network.loadingFinished', ended),
      tab.on('Network.loadingFailed', ended),
      unlisten,
    ]
  }

  static async watch(tab: Tab): Promise<InFlight> {
    return new InFlight(tab, await enableNetworkEvents(tab))
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

  /** Stops waiting for the requests that are pending now. */
  giveUp(): void {
    this.#requests.clear()
  }

  stop(): void {
    for (const off of this.#off) off()
  }

  #asksAgain(url: string, atSeconds: number): boolean {
    const answeredSeconds = this.#answered.get(requestEndpoint(url)) ?? -Infinity
    return (atSeconds - answeredSeconds) * 1_000 < pageLimits.pollAgainMs
  }

  /** Drops requests of the previous document, because Chromium may never report their end. */
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
