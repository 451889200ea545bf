/**
 * Numbered lines about sessions: collected for a moment, written in the order of their times, and
 * readable while the session runs and for a day after its last line.
 */
import type { Logger } from 'pino'
import type { Clock } from '../../runtime/lib/clock.ts'
import { SerialQueue } from '../../runtime/lib/serial-queue.ts'
import { valuesOfLines } from '../../runtime/lib/text/json-lines.ts'
import type { LineFiles } from './line-files.ts'

interface Timed {
  /** ISO 8601. */
  readonly at: string
}

type Numbered<L> = L & { readonly n: number }

export interface NumberedLinesOptions<L extends Timed> {
  readonly files: Pick<LineFiles<Numbered<L>>, 'append' | 'linesOf' | 'textsOf' | 'stop'>
  readonly clock: Clock
  readonly log: Logger
  /** How long a line waits for others, so that they are written in order. */
  readonly writeAfterMs: number
  /** Per write; more are counted only. */
  readonly linesPerWrite: number
  /** Per answer to a reader. */
  readonly linesPerPage: number
  /** The line that stands for so many that were not kept. */
  readonly skipped?: (count: number, at: string) => L
}

interface Open<L> {
  readonly tenant: string
  readonly writes: SerialQueue
  /** Of the last line that is written; undefined until the file was looked at. */
  lastN: number | undefined
  pending: L[]
  skipped: number
}

export interface LinesPage<L> {
  readonly lines: readonly Numbered<L>[]
  readonly hasMore: boolean
}

export class NumberedLines<L extends Timed> {
  readonly #options: NumberedLinesOptions<L>
  /** Of the sessions that have a browser here, and of those that have ended a moment ago. */
  readonly #open = new Map<string, Open<L>>()

  constructor(options: NumberedLinesOptions<L>) {
    this.#options = options
  }

  /** What is known by now is written; it may take until a moment later. */
  stop(): void {
    for (const [sessionId, open] of this.#open) void this.#write(sessionId, open)
    this.#options.files.stop()
  }

  begin(sessionId: string, tenant: string): void {
    const writes = new SerialQueue()
    this.#open.set(sessionId, { tenant, writes, lastN: undefined, pending: [], skipped: 0 })
  }

  isOpen(sessionId: string): boolean {
    return this.#open.has(sessionId)
  }

  /** What comes in the next moment is kept; later lines are not. */
  end(sessionId: string): void {
    const open = this.#open.get(sessionId)
    if (!open) return
    this.#options.clock.timer(this.#options.writeAfterMs, () => {
      void this.#write(sessionId, open).finally(() => this.#open.delete(sessionId))
    })
  }

  /** Ignored for a session that has not begun here. */
  add(sessionId: string, line: L): void {
    const { clock, linesPerWrite, writeAfterMs } = this.#options
    const open = this.#open.get(sessionId)
    if (!open) return
    if (open.pending.length >= linesPerWrite) {
      open.skipped++
      return
    }
    open.pending.push(line)
    if (open.pending.length > 1) return
    clock.timer(writeAfterMs, () => void this.#write(sessionId, open))
  }

  /** All that are kept, oldest first; those of the last moment come later. */
  all(sessionId: string): Promise<readonly Numbered<L>[]> {
    return this.#options.files.linesOf(sessionId)
  }

  /** Oldest first, from after the line `after`; or only the newest `last`. */
  async read(sessionId: string, after: number, last?: number): Promise<LinesPage<L>> {
    const { files, linesPerPage } = this.#options
    const all = await files.textsOf(sessionId)
    const from = all.findIndex((text) => numberOf(text) > after)
    const rest = from === -1 ? [] : all.slice(from)
    const page =
      last === undefined ? rest.slice(0, linesPerPage) : rest.slice(-Math.min(last, linesPerPage))
    const hasMore = last === undefined && rest.length > page.length
    return { lines: valuesOfLines<Numbered<L>>(page), hasMore }
  }

  #write(sessionId: string, open: Open<L>): Promise<void> {
    return open.writes.run(async () => {
      if (open.pending.length === 0) return
      const { files, clock, log, skipped: lineFor } = this.#options
      const { pending, skipped } = open
      Object.assign(open, { pending: [], skipped: 0 })
      const all = pending.toSorted(byTime)
      if (skipped > 0 && lineFor) all.push(lineFor(skipped, new Date(clock.now()).toISOString()))
      try {
        let n = (open.lastN ??= (await files.linesOf(sessionId)).at(-1)?.n ?? 0)
        const lines = all.map((line) => ({ n: ++n, ...line }))
        open.lastN = n
        await files.append(sessionId, open.tenant, lines)
      } catch (err) {
        // A full disk must not harm the session.
        log.warn({ err, session: sessionId, lines: all.length }, 'lines were not written')
      }
    })
  }
}

/** Read without the rest of the line, of which there may be megabytes. */
const numberOf = (text: string): number => Number(/^\{"n":(\d+)/.exec(text)?.[1])

const byTime = (one: Timed, other: Timed): number => Date.parse(one.at) - Date.parse(other.at)
