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
import type { LineFiles } from '../line-files/line-files.ts'
import { NumberedLines } from '../line-files/numbered-lines.ts'
import type { FilledValues } from '../logins/filled-values.ts'
import { watchEvents, type WatchedBrowser } from './browser-watch.ts'
import { eventLimits } from './limits.ts'

type TimedEvent = NewLoggedEvent & { readonly at: string }

export interface LoggedBrowser extends WatchedBrowser {
  /** Hides what was filled in from stored logins. */
  readonly filled: Pick<FilledValues, 'hide'>
}

export interface SessionEventsDeps {
  readonly files: Pick<LineFiles<LoggedEvent>, 'append' | 'linesOf' | 'textsOf' | 'stop'>
  readonly clock: Clock
  readonly log: Logger
}

export class SessionEvents {
  readonly #clock: Clock
  readonly #lines: NumberedLines<TimedEvent>
  /** By session. */
  readonly #filled = new Map<string, LoggedBrowser['filled']>()

  constructor({ files, clock, log }: SessionEventsDeps) {
    this.#clock = clock
    this.#lines = new NumberedLines<TimedEvent>({
      files: files as LineFiles<TimedEvent & { readonly n: number }>,
      ...{ clock, log },
      writeAfterMs: eventLimits.writeAfterMs,
      linesPerWrite: eventLimits.eventsPerWrite,
      linesPerPage: sessionLimits.eventsPerPage,
      skipped: (count, at) => ({ type: 'skipped', count, at }),
    })
  }

  /** What is known by now is written; it may take until a moment later. */
  stop(): void {
    this.#lines.stop()
  }

  /** From now on, what happens in the session is kept; also what its browser does by itself. */
  begin(sessionId: string, tenant: string, browser: LoggedBrowser): void {
    this.#filled.set(sessionId, browser.filled)
    this.#lines.begin(sessionId, tenant)
    watchEvents(browser, (event) => this.add(sessionId, event))
  }

  /** What gateways tell in the next moment is kept, such as clients that leave; later events are not. */
  end(sessionId: string): void {
    this.#lines.end(sessionId)
    this.#clock.timer(eventLimits.writeAfterMs, () => this.#filled.delete(sessionId))
  }

  /** Ignored for a session that has no browser here. */
  add(sessionId: string, event: NewLoggedEvent): void {
    const filled = this.#filled.get(sessionId)
    if (!filled) return
    const at = event.at ?? new Date(this.#clock.now()).toISOString()
    this.#lines.add(sessionId, { ...filled.hide(event), at })
  }

  /** Oldest first, from after the event `after`; those of the last moment come later. */
  async read({
    sessionId,
    after,
    last,
  }: NodeVerbs['events']['request']): Promise<NodeVerbs['events']['reply']> {
    const { lines, hasMore } = await this.#lines.read(sessionId, after, last)
    return { events: lines as readonly LoggedEvent[], hasMore }
  }

  /** The last commands, as gateways of 0.1.0 ask for them. */
  async journalOf(sessionId: string): Promise<NodeVerbs['journal']['reply']> {
    if (!this.#lines.isOpen(sessionId)) {
      throw new ServiceError('not_found', 'This host has no such session.')
    }
    const events = (await this.#lines.all(sessionId)) as readonly LoggedEvent[]
    return { entries: events.flatMap(journalEntry).slice(-eventLimits.journalEntries) }
  }
}

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
