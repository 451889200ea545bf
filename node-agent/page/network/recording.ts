/**
 * Records the console and the network requests of pages, starting with the first query for them.
 */
import type { CommandOutput } from '../../../proto/commands/catalogue.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { limits } from '../../../proto/limits.ts'
import type { Tab } from '../tabs/tab.ts'
import { consoleWords, exceptionText } from './console-words.ts'
import { enableNetworkEvents } from './in-flight.ts'
import { pageLimits } from '../limits.ts'
import { bodyOf, keepBodies } from './response-bodies.ts'

type Line = CommandOutput<'console'>['lines'][number]
type Request = CommandOutput<'network'>['requests'][number]
type TracedRequest = Omit<Request, 'id'>
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
  readonly requests: readonly TracedRequest[]
  readonly counts: RecordedCounts
}

export class PageRecorder {
  readonly #consoles = new WeakMap<Tab, Recording>()
  readonly #networks = new WeakMap<Tab, Traffic>()
  readonly #withBodies = new WeakSet<Tab>()

  /** Chromium also reports earlier messages, as far as it has kept them. */
  async console(tab: Tab): Promise<readonly Line[]> {
    return (await this.#consoleOf(tab)).all()
  }

  /** `wantsBodies`: bodies of answers are kept from now on. */
  async network(tab: Tab, wantsBodies: boolean): Promise<readonly Request[]> {
    const requests = await this.#networkOf(tab)
    if (wantsBodies && !this.#withBodies.has(tab)) {
      await keepBodies(tab)
      this.#withBodies.add(tab)
    }
    return requests.all().map(({ mimeType: _, ...request }) => request)
  }

  async body(tab: Tab, id: string): Promise<CommandOutput<'response_body'>> {
    if (!this.#withBodies.has(tab)) {
      const text = 'No bodies are kept yet: call network with bodies, and let the page ask again.'
      throw new ServiceError('conflict', text)
    }
    const known = (await this.#networkOf(tab)).all().findLast((request) => request.id === id)
    if (known) return bodyOf(tab, known)
    const text = `There is no request ${id} among the last ones of this tab, which network lists.`
    throw new ServiceError('not_found', text)
  }

  async since(tab: Tab, { lines, requests }: RecordedCounts): Promise<RecordedSince> {
    const [written, asked] = await Promise.all([this.#consoleOf(tab), this.#networkOf(tab)])
    return {
      console: written.after(lines),
      requests: asked.after(requests).map(traced),
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

type RecordedRequest = Request & { mimeType?: string }

const traced = ({ id: _, mimeType: __, ...request }: RecordedRequest): TracedRequest => request

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
  const add = (atMs: number, level: string, text: string, source: ScriptPlace | undefined) =>
    lines.add({
      at: new Date(atMs).toISOString(),
      level: levels[level] ?? level,
      text: text.slice(0, pageLimits.consoleLineChars),
      ...sourceOf(source),
    })
  const off = [
    tab.on('Runtime.consoleAPICalled', ({ type, args, timestamp, stackTrace }) =>
      add(timestamp, type, consoleWords(args), stackTrace?.callFrames[0]),
    ),
    tab.on('Runtime.exceptionThrown', ({ timestamp, exceptionDetails }) => {
      const { stackTrace } = exceptionDetails
      const place = stackTrace?.callFrames[0] ?? exceptionDetails
      add(timestamp, 'error', exceptionText(exceptionDetails), place)
    }),
    tab.on('Log.entryAdded', ({ entry }) => {
      const { timestamp, level, text, url, stackTrace } = entry
      const whole = url === undefined ? text : `${text} (${url})`
      add(timestamp, level, whole, stackTrace?.callFrames[0])
    }),
  ]
  const started = Promise.all([tab.send('Runtime.enable'), tab.send('Log.enable')])
  return { lines, started, off }
}

/** Chromium counts from 0. */
interface ScriptPlace {
  readonly url?: string
  readonly lineNumber: number
  readonly columnNumber: number
}

/** Nothing for what runs without a URL, such as a script of `evaluate`. */
function sourceOf(place: ScriptPlace | undefined): { source?: string } {
  if (!place?.url) return {}
  const url = place.url.slice(0, pageLimits.consoleLineChars)
  return { source: `${url}:${place.lineNumber + 1}:${place.columnNumber + 1}` }
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
      if (!known) return
      known.status = response.status
      known.mimeType = response.mimeType
    }),
    tab.on('Network.loadingFailed', ({ requestId, errorText }) => {
      const known = last(requestId)
      if (known) known.error = errorText
    }),
  ]
  return { requests, started: enableNetworkEvents(tab), off }
}
