/** Keeps a process's copy of the archive up to date with the store. */
import type { Logger } from 'pino'
import { subjects } from '../../../proto/subjects.ts'
import type { Clock, Timer } from '../../lib/clock.ts'
import { StoreUnavailable, type SharedLog, type StreamSpan } from '../../store/store.ts'
import { actorLimits } from '../limits.ts'
import type { History } from './history.ts'
import { unpackSegment, type StoredSegment } from './segment.ts'

export interface HistoryFeedOptions {
  readonly archive: Pick<SharedLog, 'read'>
  readonly span: () => Promise<StreamSpan>
  readonly history: History
  readonly clock: Clock
  readonly log: Logger
}

export class HistoryFeed {
  /** Resolves when the first reading has ended, or has failed. */
  readonly begun: Promise<void>
  readonly #options: HistoryFeedOptions
  #isComplete = false
  #timer: Timer | undefined
  #turn: Promise<void> | undefined
  #stopped = false

  constructor(options: HistoryFeedOptions) {
    this.#options = options
    this.begun = this.#poll()
  }

  /** False until the copy has had everything of the store once; then it is seconds behind at most. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** Resolves when the copy has everything that the store had at the call. */
  async catchUp(): Promise<void> {
    await this.#turn
    await (this.#turn = this.#read())
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#timer?.cancel()
    await this.#turn?.catch(() => undefined)
  }

  async #poll(): Promise<void> {
    const { clock, log } = this.#options
    try {
      await this.catchUp()
    } catch (error) {
      const isExpected = error instanceof StoreUnavailable
      if (!isExpected) log.error({ err: error }, 'the archive cannot be read; it is tried again')
    }
    if (this.#stopped) return
    this.#timer = clock.timer(actorLimits.historyPollMs, () => void this.#poll())
  }

  async #read(): Promise<void> {
    const { archive, span, history, log } = this.#options
    const stream = await span()
    if (!(await this.#isSame(stream))) {
      this.#isComplete = false
      log.warn('the store has another archive than before; it is read from the start')
      history.clear()
    }
    const before = history.position
    if (before && stream.firstSeq > before.firstSeq) history.dropBefore(stream.firstSeq)
    let some: StoredSegment[] = []
    const add = () => {
      history.add(some, stream)
      some = []
    }
    const fromSeq = (before?.seq ?? 0) + 1
    if (stream.lastSeq >= fromSeq) {
      for await (const record of archive.read(subjects.archiveAll, fromSeq)) {
        some.push(unpackSegment(record))
        if (some.length === actorLimits.historySegments) add()
        if (this.#stopped) return
      }
      add()
    }
    if (!this.#isComplete) log.info('all that the archive has can be listed')
    this.#isComplete = true
  }

  /** After a rollback of the store, or a new one, what stands at our position is something else. */
  async #isSame({ created, firstSeq, lastSeq }: StreamSpan): Promise<boolean> {
    const { archive, history } = this.#options
    const at = history.position
    if (!at) return true
    if (at.created !== created || at.seq > lastSeq) return false
    // Nothing new, or removed since then.
    if (at.seq === lastSeq ? this.#isComplete : at.seq < firstSeq) return true
    for await (const { seq, atMs = 0 } of archive.read(subjects.archiveAll, at.seq)) {
      return seq !== at.seq || atMs === at.atMs
    }
    return true
  }
}
