/** Keeps an open list current: sends the rows that changed, and the order of all rows. */
import { toHtml, type Markup } from '../../html/markup.ts'
import { ChangeTimer } from '../live/change-timer.ts'
import type { SendEvent } from '../live/feeds.ts'
import { openFeed } from '../live/open-feed.ts'
import type { ConsoleFile } from '../page.ts'
import { ConsoleVisit } from '../visit.ts'
import { countWord } from './list-parts.tsx'
import type { ConsoleListPage } from './list-query.ts'

export interface FollowedList<V, P extends ConsoleListPage<V>> {
  /** The id of the element that contains the table. */
  readonly into: string
  /**
   * Calls back after each change that this visitor may see; returns a function that unsubscribes.
   */
  readonly watch: (onChange: () => void) => () => void
  readonly find: (visit: ConsoleVisit) => P
  /** By element id, what is sent when the first row appears or the last one disappears. */
  readonly parts: (visit: ConsoleVisit, found: P) => Readonly<Record<string, Markup>>
  readonly rowId: (row: V) => string
  readonly row: (visit: ConsoleVisit, row: V) => Markup
}

/** The query of the request is that of the list. */
export function feedList<V, P extends ConsoleListPage<V>>(
  visit: ConsoleVisit,
  list: FollowedList<V, P>,
): ConsoleFile {
  return openFeed(visit, (send) => {
    const feed = new ListFeed(visit, list, send)
    return () => feed.stop()
  })
}

/** What the browser was sent last. */
interface Shown<V> {
  readonly rows: ReadonlyMap<string, V>
  readonly order: string
  readonly pages: number
  readonly counts: string
}

class ListFeed<V, P extends ConsoleListPage<V>> {
  readonly #visit: ConsoleVisit
  readonly #list: FollowedList<V, P>
  readonly #send: SendEvent
  readonly #unwatch: () => void
  readonly #changes: ChangeTimer
  #shown: Shown<V> | undefined

  constructor(visit: ConsoleVisit, list: FollowedList<V, P>, send: SendEvent) {
    this.#visit = visit
    this.#list = list
    this.#send = send
    this.#changes = new ChangeTimer(visit.deps.clock, () => this.#tell())
    this.#unwatch = list.watch(() => this.#changes.soon())
    this.#tell()
  }

  stop(): void {
    this.#unwatch()
    this.#changes.stop()
  }

  #tell(): void {
    const { facts, deps } = this.#visit
    // Rows contain times relative to now, so they are rendered with a new visit.
    const visit = new ConsoleVisit(facts, deps)
    const found = this.#list.find(visit)
    const next = this.#shownOf(found)
    const wasSent = this.#isWhole(next)
      ? this.#send('parts', this.#partsOf(visit, found))
      : this.#send('rows', this.#rowsSince(this.#shown!, next, visit, found))
    if (wasSent) this.#shown = next
    else this.#changes.soon()
  }

  /** An empty list has no table, and the links to pages change with their number. */
  #isWhole({ rows, pages }: Shown<V>): boolean {
    const before = this.#shown
    return !before || (before.rows.size === 0) !== (rows.size === 0) || before.pages !== pages
  }

  #partsOf(visit: ConsoleVisit, found: P) {
    const parts = Object.entries(this.#list.parts(visit, found))
    return Object.fromEntries(parts.map(([id, part]) => [id, toHtml(part)]))
  }

  #shownOf({ rows, pages, counts }: P): Shown<V> {
    const byId = new Map(rows.map((row) => [this.#list.rowId(row), row]))
    const order = [...byId.keys()].join()
    return { rows: byId, order, pages, counts: Object.values(counts).join() }
  }

  /** Views are replaced, never modified, so a row whose object is the same is unchanged. */
  #rowsSince(before: Shown<V>, next: Shown<V>, visit: ConsoleVisit, found: P) {
    const { into, row } = this.#list
    const changed = [...next.rows].filter(([id, view]) => before.rows.get(id) !== view)
    return {
      into,
      order: before.order === next.order ? undefined : [...next.rows.keys()],
      rows: Object.fromEntries(changed.map(([id, view]) => [id, toHtml(row(visit, view))])),
      counts: before.counts === next.counts ? undefined : inWords(found.counts),
    }
  }
}

const inWords = (counts: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, countWord(count)]))
