/**
 * Keeps parts of an open page current: renders them again after a change, and sends those that
 * differ. Differences in clocks do not count, because browsers update clocks themselves.
 */
import { toHtml } from '../../html/markup.ts'
import { DataRow, type TableColumn } from '../../html/table.tsx'
import { consoleLimits } from '../limits.ts'
import type { ConsoleFile } from '../page.ts'
import { ConsoleVisit } from '../visit.ts'
import { ChangeTimer } from './change-timer.ts'
import type { SendEvent } from './feeds.ts'
import { openFeed } from './open-feed.ts'

/** An element of the page by its id, as HTML. */
export interface LiveRegion {
  readonly html: string
  /**
   * The rows of its table by their ids, in order. If present, only rows are replaced, and a row in
   * which somebody answers a question stays. Empty or absent: the region is replaced as a whole.
   */
  readonly rows?: ReadonlyMap<string, string>
}

export type LiveRegions = Readonly<Record<string, LiveRegion>>

/** `watch` calls back after each change; it returns a function that unsubscribes. */
export interface RegionSource {
  readonly render: (visit: ConsoleVisit) => Promise<LiveRegions> | LiveRegions
  readonly watch: (changed: () => void) => () => void
}

/** Opens the stream of a page whose parts are rendered by `render`. */
export function feedRegions(visit: ConsoleVisit, source: RegionSource): ConsoleFile {
  return openFeed(visit, (send) => {
    const feed = new RegionFeed(visit, source, send)
    return () => feed.stop()
  })
}

/** The rows of a region's table, rendered with the same component as the table. */
export function regionRows<R>(
  rows: readonly R[],
  columns: readonly TableColumn<R>[],
  idOf: (row: R) => string,
): ReadonlyMap<string, string> {
  return new Map(
    rows.map((row) => [idOf(row), toHtml(DataRow<R>({ columns, row, id: idOf(row) }))]),
  )
}

class RegionFeed {
  readonly #visit: ConsoleVisit
  readonly #source: RegionSource
  readonly #send: SendEvent
  readonly #unwatch: () => void
  readonly #changes: ChangeTimer
  #shown: LiveRegions = {}
  #isRendering = false

  constructor(visit: ConsoleVisit, source: RegionSource, send: SendEvent) {
    this.#visit = visit
    this.#source = source
    this.#send = send
    this.#changes = new ChangeTimer(visit.deps.clock, () => {
      if (this.#isRendering) this.#changes.soon()
      else void this.#tell()
    })
    this.#unwatch = source.watch(() => this.#changes.soon())
    void this.#tell()
  }

  stop(): void {
    this.#unwatch()
    this.#changes.stop()
  }

  async #tell(): Promise<void> {
    const { facts, deps } = this.#visit
    this.#isRendering = true
    try {
      // A new visit, because a visit contains the current time.
      const next = await this.#source.render(new ConsoleVisit(facts, deps))
      const isSent = changesOf(this.#shown, next).every(([event, data]) => this.#send(event, data))
      if (isSent) this.#shown = next
      else this.#changes.soon()
    } catch {
      // The store does not answer now, so it is tried again later.
      this.#changes.soon(consoleLimits.feedRetryMs)
    } finally {
      this.#isRendering = false
    }
  }
}

type Change = readonly [event: 'parts' | 'rows', data: unknown]

/** The events that turn `before` into `next`. */
function changesOf(before: LiveRegions, next: LiveRegions): readonly Change[] {
  const parts: Record<string, string> = {}
  const changes: Change[] = []
  for (const [id, region] of Object.entries(next)) {
    const was = before[id]
    if (!was?.rows?.size || !region.rows?.size) {
      if (!was || !looksLike(was.html, region.html)) parts[id] = region.html
    } else {
      changes.push(...rowChanges(id, was.rows, region.rows))
    }
  }
  return Object.keys(parts).length === 0 ? changes : [['parts', parts], ...changes]
}

function rowChanges(
  into: string,
  before: ReadonlyMap<string, string>,
  next: ReadonlyMap<string, string>,
): readonly Change[] {
  const changed = [...next].filter(([id, html]) => !looksLike(before.get(id), html))
  const order = [...next.keys()]
  const isMoved = order.join() !== [...before.keys()].join()
  if (changed.length === 0 && !isMoved) return []
  const rows = Object.fromEntries(changed)
  return [['rows', { into, rows, ...(isMoved && { order }) }]]
}

/** Whether two texts differ at most in clocks, which the browser updates itself. */
const looksLike = (before: string | undefined, next: string): boolean =>
  before !== undefined && withoutClocks(before) === withoutClocks(next)

const withoutClocks = (html: string) => html.replaceAll(/(data-(?:since|until)="\d+">)[^<]*/g, '$1')
