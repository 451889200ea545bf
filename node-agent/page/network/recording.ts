/**
 * Records the console and the network requests of pages, starting with the first query for them.
 */
import type { CommandOutput } from '../../../proto/commands/catalogue.ts'
import { limits } from '../../../proto/limits.ts'
import type { Tab } from '../tabs/tab.ts'
import { consoleWords, exceptionText } from './console-words.ts'
import { enableNetworkEvents } from './in-flight.ts'
import { pageLimits } from '../limits.ts'

type Line = CommandOutput<'console'>['lines'][number]
type Request = CommandOutput<'network'>['requests'][number]
/** Chromium's names of log levels that differ from those of `console`. */
const levels: Readonly<Record<string, string>> = { warning: 'warn' }

/** A list that keeps only the last `max` items. */
class Last<T> {
  readonly #max: number
  readonly #items: T[] = []
  /** The number of items that were ever added. */
  total = 0

  constructor(max: number) {
    this.#max = max
  }

  add(item: T): void {
    this.#items.push(item)
    this.total++
    if (this.#items.length > this.#max) this.#items.shift()
  }

  all(): T[] {
    return [...this.#items]
  }

  /** The kept items that were added after the first `count`. */
  after(count: number): T[] {
    const added = this.total - count
    return added > 0 ? this.#items.slice(-added) : []
  }
}

interface Recording {
  readonly lines: Last<Line>
  readonly started: Promise<unknown>
  readonly off: readonly (() => void)[]
}

interface Traffic {
  readonly requests: Last<RecordedRequest>
  readonly started: Promise<unknown>
  readonly off: readonly (() => void)[]
}

/** How much of a page's console and network has been read. */
export interface RecordedCounts {
  readonly lines: number
  readonly requests: number
}

/** The console messages and requests of a page since a position. */
export interface RecordedSince {
  readonly console: readonly Line[]
  readonly requests: readonly Request[]
  readonly counts: RecordedCounts
}

export class PageRecorder {
  readonly #consoles = new WeakMap<Tab, Recording>()
  readonly #networks = new WeakMap<Tab, Traffic>()

  /** Chromium also reports earlier messages, as far as it has kept them. */
  async console(tab: Tab): Promise<readonly Line[]> {
    return (await this.#consoleOf(tab)).all()
  }

  async network(tab: Tab): Promise<readonly Request[]> {
    return (await this.#networkOf(tab)).all().map(withoutId)
  }

  async since(tab: Tab, { lines, requests }: RecordedCounts): Promise<RecordedSince> {
    const [written, asked] = await Promise.all([this.#consoleOf(tab), this.#networkOf(tab)])
    return {
      console: written.after(lines),
      requests: asked.after(requests).map(withoutId),
      counts: { lines: written.total, requests: asked.total },
    }
  }

  async #consoleOf(tab: Tab): Promise<Last<Line>> {
    const known = this.#consoles.get(tab) ?? recordConsole(tab)
    this.#consoles.set(tab, known)
    await ensureStarted(this.#consoles, tab, known)
    return known.lines
  }

  async #networkOf(tab: Tab): Promise<Last<RecordedRequest>> {
    const known = this.#networks.get(tab) ?? recordNetwork(tab)
    this.#networks.set(tab, known)
    await ensureStarted(this.#networks, tab, known)
    return known.requests
  }
}

type RecordedRequest = Request & { id: string }

const withoutId = ({ id: _, ...request }: RecordedRequest): Request => request

/**
 * Waits for a recording to start. One that cannot start, because of a dialog, is dropped, so that
 * the next query starts it again.
 */
async function ensureStarted<T extends Pick<Recording, 'started' | 'off'>>(
  recordings: WeakMap<Tab, T>,
  tab: Tab,
  recording: T,
): Promise<void> {
  try {
    await recording.started
  } catch (error) {
    if (recordings.get(tab) === recording) recordings.delete(tab)
    for (const off of recording.off) off()
    throw error
  }
}

function recordConsole(tab: Tab): Recording {
  const lines = new Last<Line>(pageLimits.consoleLines)
  const add = (atMs: number, level: string, text: string) =>
    lines.add({
      at: new Date(atMs).toISOString(),
      level: levels[level] ?? level,
      text: text.slice(0, pageLimits.consoleLineChars),
    })
  const off = [
    tab.on('Runtime.consoleAPICalled', ({ type, args, timestamp }) =>
      add(timestamp, type, consoleWords(args)),
    ),
    tab.on('Runtime.exceptionThrown', ({ timestamp, exceptionDetails }) =>
      add(timestamp, 'error', exceptionText(exceptionDetails)),
    ),
    tab.on('Log.entryAdded', ({ entry }) => {
      const { timestamp, level, text, url } = entry
      add(timestamp, level, url === undefined ? text : `${text} (${url})`)
    }),
  ]
  const started = Promise.all([tab.send('Runtime.enable'), tab.send('Log.enable')])
  return { lines, started, off }
}

function recordNetwork(tab: Tab): Traffic {
  const requests = new Last<RecordedRequest>(pageLimits.requestsRecorded)
  const last = (id: string) => requests.all().findLast((request) => request.id === id)
  const off = [
    tab.on('Network.requestWillBeSent', ({ requestId, request, type, redirectResponse }) => {
      const before = redirectResponse && last(requestId)
      if (before) before.status = redirectResponse.status
      const { method, url } = request
      requests.add({
        id: requestId,
        method,
        url: url.slice(0, limits.urlBytes),
        type: (type ?? 'Other').toLowerCase(),
      })
    }),
    tab.on('Network.responseReceived', ({ requestId, response }) => {
      const known = last(requestId)
      if (known) known.status = response.status
    }),
    tab.on('Network.loadingFailed', ({ requestId, errorText }) => {
      const known = last(requestId)
      if (known) known.error = errorText
    }),
  ]
  return { requests, started: enableNetworkEvents(tab), off }
}
