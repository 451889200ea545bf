/**
 * The log of what happens in each session: numbered, written to a file a moment later, and readable
 * while the session runs and for a day after its last event.
 */
import type { Logger } from 'pino'
import type { JournalEntry, NodeVerbs } from '../../proto/browser-host/node.ts'
import { ServiceError } from '../../proto/errors.ts'
import { sessionLimits } from '../../proto/session/limits.ts'
import type { NewLoggedEvent, LoggedEvent } from '../../proto/session/session-event.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import { SerialQueue } from '../../runtime/lib/serial-queue.ts'
import type { LineFiles } from '../line-files/line-files.ts'
import type { FilledValues } from '../logins/filled-values.ts'
import { watchEvents, type WatchedBrowser } from './browser-watch.ts'
import { eventLimits } from './limits.ts'

type Timed = NewLoggedEvent & { readonly at: string }

interface OpenLog {
  readonly tenant: string
  readonly filled: Pick<FilledValues, 'hide'>
  readonly writes: SerialQueue
  /** Of the last event that is written; undefined until the file was looked at. */
  lastN: number | undefined
  pending: Timed[]
  skipped: number
}

export interface LoggedBrowser extends WatchedBrowser {
  /** Hides what was filled in from stored logins. */
  readonly filled: Pick<FilledValues, 'hide'>
}

export interface SessionEventsDeps {
  readonly files: Pick<LineFiles<LoggedEvent>, 'append' | 'linesOf' | 'stop'>
  readonly clock: Clock
  readonly log: Logger
}

export class SessionEvents {
  readonly #deps: SessionEventsDeps
  /** Of the sessions that have a browser here, and of those that have ended a moment ago. */
  readonly #open = new Map<string, OpenLog>()

  constructor(deps: SessionEventsDeps) {
    this.#deps = deps
  }

  /** What is known by now is written; it may take until a moment later. */
  stop(): void {
    for (const [sessionId, log] of this.#open) void this.#write(sessionId, log)
    this.#deps.files.stop()
  }

  /** From now on, what happens in the session is kept; also what its browser does by itself. */
  begin(sessionId: string, tenant: string, browser: LoggedBrowser): void {
    const { filled } = browser
    const writes = new SerialQueue()
    this.#open.set(sessionId, { tenant, filled, writes, lastN: undefined, pending: [], skipped: 0 })
    watchEvents(browser, (event) => this.add(sessionId, event))
  }

  /** What gateways tell in the next moment is kept, such as clients that leave; later events are not. */
  end(sessionId: string): void {
    const log = this.#open.get(sessionId)
    if (!log) return
    this.#deps.clock.timer(eventLimits.writeAfterMs, () => {
      void this.#write(sessionId, log).finally(() => this.#open.delete(sessionId))
    })
  }

  /** Ignored for a session that has no browser here. */
  add(sessionId: string, event: NewLoggedEvent): void {
    const log = this.#open.get(sessionId)
    if (!log) return
    if (log.pending.length >= eventLimits.eventsPerWrite) {
      log.skipped++
      return
    }
    const { clock } = this.#deps
    const isFirst = log.pending.length === 0
    const at = event.at ?? new Date(clock.now()).toISOString()
    log.pending.push({ ...log.filled.hide(event), at })
    if (isFirst) clock.timer(eventLimits.writeAfterMs, () => void this.#write(sessionId, log))
  }

  /** Oldest first, from after the event `after`; those of the last moment come later. */
  async read({
    sessionId,
    after,
    last,
  }: NodeVerbs['events']['request']): Promise<NodeVerbs['events']['reply']> {
    const all = await this.#deps.files.linesOf(sessionId)
    const from = all.findIndex(({ n }) => n > after)
    const rest = from === -1 ? [] : all.slice(from)
    const { eventsPerPage } = sessionLimits
    if (last !== undefined) {
      return { events: rest.slice(-Math.min(last, eventsPerPage)), hasMore: false }
    }
    const events = rest.slice(0, eventsPerPage)
    return { events, hasMore: rest.length > events.length }
  }

  /** The last commands, as gateways of 0.1.0 ask for them. */
  async journalOf(sessionId: string): Promise<NodeVerbs['journal']['reply']> {
    if (!this.#open.has(sessionId)) {
      throw new ServiceError('not_found', 'This host has no such session.')
    }
    const entries = (await this.#deps.files.linesOf(sessionId)).flatMap((event) =>
      journalEntry(event),
    )
    return { entries: entries.slice(-eventLimits.journalEntries) }
  }

  #write(sessionId: string, log: OpenLog): Promise<void> {
    return log.writes.run(async () => {
      if (log.pending.length === 0) return
      const { files, clock, log: logger } = this.#deps
      const { pending, skipped } = log
      Object.assign(log, { pending: [], skipped: 0 })
      const at = new Date(clock.now()).toISOString()
      const all: Timed[] = pending.toSorted(byTime)
      if (skipped > 0) all.push({ type: 'skipped', count: skipped, at })
      try {
        let n = (log.lastN ??= (await files.linesOf(sessionId)).at(-1)?.n ?? 0)
        const lines = all.map((event) => ({ n: ++n, ...event }) as LoggedEvent)
        log.lastN = n
        await files.append(sessionId, log.tenant, lines)
      } catch (err) {
        // A full disk must not harm the session.
        logger.warn({ err, session: sessionId, events: all.length }, 'events were not written')
      }
    })
  }
}

const byTime = (one: Timed, other: Timed): number => Date.parse(one.at) - Date.parse(other.at)

function journalEntry(event: LoggedEvent): JournalEntry[] {
  if (event.type !== 'command') return []
  const { at, command, ms, outcome, task } = event
  return [
    {
      ...{ atMs: Date.parse(at), command, ms },
      ...(outcome !== 'done' && { error: outcome }),
      ...(task !== undefined && { task }),
    },
  ]
}
