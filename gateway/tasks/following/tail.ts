/** The records of one task for one reader: the stored ones as fast as it reads, then live ones. */
import { subjects } from '../../../proto/subjects.ts'
import type { TaskRecord } from '../../../proto/task/task.ts'
import type { Clock, Timer } from '../../../runtime/lib/clock.ts'
import { readFeed, type FeedEntry } from '../../../runtime/actor/feed.ts'
import type { LogStore } from '../../../runtime/store/store.ts'
import { RecordBacklog, type KnownRecord } from './backlog.ts'
import type { FeedListener, TaskFeed, TaskFeeds } from './feeds.ts'
import { taskFeedLimits } from '../limits.ts'

export interface TailReader {
  tell(record: TaskRecord): void
  /** Resolves when the reader can take more stored records. */
  whenWritable(): Promise<void>
  /** Called once, when the task is over or this gateway stops. */
  over(tail: TaskTail, last: TaskRecord | undefined): void
  /** Called when the log cannot be read. */
  failed(error: unknown): void
}

export interface TailOptions {
  readonly feeds: Pick<TaskFeeds, 'listen'>
  readonly steps: LogStore
  readonly clock: Clock
  readonly taskId: string
  /** What the reader already has; absent: only new records are delivered. */
  readonly known?: KnownRecord
  readonly reader: TailReader
}

export class TaskTail implements FeedListener {
  readonly #options: TailOptions
  #feed: TaskFeed | undefined
  /** True while stored records are being delivered. */
  #isBehind: boolean
  #nextSeq = 0
  #last: TaskRecord | undefined
  #isOver = false
  #isEnding = false
  #timer: Timer | undefined

  private constructor(options: TailOptions) {
    this.#options = options
    this.#isBehind = options.known !== undefined
  }

  /** Resolves when no later record can be missed; stored records may still follow. */
  static async open(options: TailOptions): Promise<TaskTail> {
    const tail = new TaskTail(options)
    const feed = await options.feeds.listen(options.taskId, tail)
    tail.#feed = feed
    // The last record may have arrived meanwhile.
    if (tail.#isOver) feed.leave(tail)
    else if (options.known) void tail.#deliverStored(feed, new RecordBacklog(options.known))
    return tail
  }

  get taskId(): string {
    return this.#options.taskId
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** The task is over: waits for its last record a limited time, since it may have been lost. */
  expectEnd(): void {
    this.#isEnding = true
    if (this.#isBehind || this.#isOver) return
    this.#timer ??= this.#options.clock.timer(taskFeedLimits.feedEndMs, () => this.stopped())
  }

  onRecord({ record, seq }: FeedEntry<TaskRecord>): void {
    // `#deliverStored` reads the log until it has included this record.
    if (this.#isBehind || seq < this.#nextSeq) return
    this.#deliver(record)
  }

  stopped(): void {
    if (this.#isOver) return
    this.leave()
    this.#options.reader.over(this, this.#last)
  }

  /** Ends without notifying the reader. */
  leave(): void {
    this.#isOver = true
    this.#timer?.cancel()
    this.#feed?.leave(this)
  }

  /**
   * Reads the log repeatedly, until the feed delivered nothing during one reading; from then on,
   * the feed's records follow directly.
   */
  async #deliverStored(feed: TaskFeed, backlog: RecordBacklog): Promise<void> {
    try {
      for (let readUpTo = -1; readUpTo !== feed.nextSeq && !this.#isOver;) {
        readUpTo = feed.nextSeq
        await this.#read(backlog)
      }
    } catch (error) {
      if (!this.#isOver) this.#options.reader.failed(error)
      return
    }
    for (const record of backlog.rest()) this.#deliver(record)
    this.#isBehind = false
    if (this.#isEnding) this.expectEnd()
  }

  async #read(backlog: RecordBacklog): Promise<void> {
    const { steps, taskId, reader } = this.#options
    const from = Math.max(this.#nextSeq, backlog.fromSeq)
    for await (const kept of readFeed<TaskRecord>(steps, subjects.taskRecords(taskId), from)) {
      this.#nextSeq = kept.seq + 1
      for (const record of backlog.wanted(kept.record)) this.#deliver(record)
      await reader.whenWritable()
      if (this.#isOver) return
    }
  }

  #deliver(record: TaskRecord): void {
    if (this.#isOver) return
    this.#last = record
    this.#options.reader.tell(record)
    if (record.type === 'state' && record.status !== 'RUNNING') this.stopped()
  }
}
