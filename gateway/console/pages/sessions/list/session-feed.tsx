/** Keeps an open list of sessions current: sends the rows that changed, and where they stand. */
import type { SessionView } from '../../../../../proto/session/session.ts'
import type { Timer } from '../../../../../runtime/lib/clock.ts'
import { toHtml } from '../../../../html/markup.ts'
import type { SendEvent } from '../../../live/feeds.ts'
import { consoleLimits } from '../../../limits.ts'
import type { ConsoleFile } from '../../../page.ts'
import { ConsoleVisit } from '../../../visit.ts'
import { countWord, SessionsRegion, ShowSwitch } from './session-list.tsx'
import {
  findSessions,
  sessionQuery,
  visibleSessions,
  type SessionPage,
  type SessionQuery,
} from './session-query.ts'
import { rowIdOf, SessionTableRow } from './session-row.tsx'

/** The query is that of the list. */
export function feedSessions(visit: ConsoleVisit): ConsoleFile {
  const { deps, facts } = visit
  const listener = { keyId: facts.principal.keyId, endsAtMs: facts.endsAtMs }
  return {
    file: deps.feeds.open(listener, (send) => {
      const feed = new SessionFeed(visit, send)
      return () => feed.stop()
    }),
  }
}

/** What the browser was sent last. */
interface Shown {
  readonly rows: ReadonlyMap<string, SessionView>
  readonly order: string
  readonly pages: number
  readonly counts: string
}

class SessionFeed {
  readonly #visit: ConsoleVisit
  readonly #query: SessionQuery
  readonly #send: SendEvent
  readonly #unwatch: () => void
  #shown: Shown | undefined
  #timer: Timer | undefined

  constructor(visit: ConsoleVisit, send: SendEvent) {
    this.#visit = visit
    this.#query = sessionQuery(visit.query)
    this.#send = send
    // A view that is removed no longer says whose it was.
    this.#unwatch = visit.deps.views.onChange((view) => {
      if (!view || visit.sees(view.tenant)) this.#soon()
    })
    this.#tell()
  }

  stop(): void {
    this.#unwatch()
    this.#timer?.cancel()
  }

  /** Changes that come together are sent together. */
  #soon(): void {
    this.#timer ??= this.#visit.deps.clock.timer(consoleLimits.feedGatherMs, () => {
      this.#timer = undefined
      this.#tell()
    })
  }

  #tell(): void {
    const { facts, deps } = this.#visit
    // The times in its rows are those of now.
    const visit = new ConsoleVisit(facts, deps)
    const found = findSessions(visibleSessions(visit), this.#query)
    const next = shownOf(found)
    const wasSent = this.#isWhole(next)
      ? this.#send('parts', this.#partsOf(visit, found))
      : this.#send('rows', rowsSince(this.#shown!, next, visit, found))
    if (wasSent) this.#shown = next
    else this.#soon()
  }

  /** An empty list has no table, and links to pages change with their number. */
  #isWhole({ rows, pages }: Shown): boolean {
    const before = this.#shown
    return !before || (before.rows.size === 0) !== (rows.size === 0) || before.pages !== pages
  }

  #partsOf(visit: ConsoleVisit, found: SessionPage) {
    const facts = { visit, query: this.#query, found }
    return { show: toHtml(ShowSwitch(facts)), sessions: toHtml(SessionsRegion(facts)) }
  }
}

function shownOf({ rows, pages, counts }: SessionPage): Shown {
  const byId = new Map(rows.map((view) => [view.id, view]))
  return { rows: byId, order: [...byId.keys()].join(), pages, counts: Object.values(counts).join() }
}

const inWords = (counts: SessionPage['counts']) =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, countWord(count)]))

/** Views are replaced, never changed, so a row that is the same object is the same. */
function rowsSince(before: Shown, next: Shown, visit: ConsoleVisit, found: SessionPage) {
  const changed = found.rows.filter((view) => before.rows.get(view.id) !== view)
  return {
    into: 'sessions',
    order: before.order === next.order ? undefined : found.rows.map(rowIdOf),
    rows: Object.fromEntries(
      changed.map((view) => [rowIdOf(view), toHtml(SessionTableRow({ visit, view }))]),
    ),
    counts: before.counts === next.counts ? undefined : inWords(found.counts),
  }
}
