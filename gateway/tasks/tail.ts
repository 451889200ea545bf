/** The records of one task for one reader: those of the past as fast as it reads, then live. */
import { limits } from '../../proto/limits.ts'
import { subjects } from '../../proto/subjects.ts'
import type { TaskRecord } from '../../proto/task.ts'
import type { Clock, Timer } from '../../runtime/clock.ts'
import { readFeed, type Kept } from '../../runtime/feed.ts'
import type { LogStore } from '../../runtime/store.ts'
import { Backlog, type Known } from './backlog.ts'
import type { FeedListener, TaskFeed, TaskFeeds } from './feeds.ts'

export interface TailReader {
  tell(record: TaskRecord): void
  /** Resolves when there is room for more of the past. */
  room(): Promise<void>
  /** Told once: its task is over, or this gateway is. */
  over(tail: TaskTail, last: TaskRecord | undefined): void
  /** The log cannot be read. */
  failed(error: unknown): void
}

export interface TailOptions {
  readonly feeds: TaskFeeds
  readonly steps: LogStore
  readonly clock: Clock
  readonly taskId: string
  /** What the reader has already; absent: it begins with what comes now. */
  readonly known?: Known
  readonly reader: TailReader
}

export class TaskTail implements FeedListener {
  readonly #options: TailOptions
  #feed: TaskFeed | undefined
  /** Of the past, while that is told. */
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

  /** Resolves when nothing that comes from now on will be missed; the past may still be told. */
  static async open(options: TailOptions): Promise<TaskTail> {
    const tail = new TaskTail(options)
    const feed = await options.feeds.listen(options.taskId, tail)
    tail.#feed = feed
    // It may have been told the last record meanwhile.
    if (tail.#isOver) feed.leave(tail)
    else if (options.known) void tail.#tellPast(feed, new Backlog(options.known))
    return tail
  }

  get taskId(): string {
    return this.#options.taskId
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Its task is over: its last record is on its way, or was lost long ago. */
  expectEnd(): void {
    this.#isEnding = true
    if (this.#isBehind || this.#isOver) return
    this.#timer ??= this.#options.clock.timer(limits.feedEndMs, () => this.stopped())
  }

  heard({ record, seq }: Kept<TaskRecord>): void {
    // While the past is told, the log is read until it has this too.
    if (this.#isBehind || seq < this.#nextSeq) return
    this.#tell(record)
  }

  stopped(): void {
    if (this.#isOver) return
    this.leave()
    this.#options.reader.over(this, this.#last)
  }

  /** Without a word to the reader. */
  leave(): void {
    this.#isOver = true
    this.#timer?.cancel()
    this.#feed?.leave(this)
  }

  /** Until a whole reading in which the feed told nothing: what it tells next comes after it. */
  async #tellPast(feed: TaskFeed, backlog: Backlog): Promise<void> {
    try {
      for (let told = -1; told !== feed.nextSeq && !this.#isOver;) {
        told = feed.nextSeq
        await this.#read(backlog)
      }
    } catch (error) {
      if (!this.#isOver) this.#options.reader.failed(error)
      return
    }
    for (const record of backlog.rest()) this.#tell(record)
    this.#isBehind = false
    if (this.#isEnding) this.expectEnd()
  }

  async #read(backlog: Backlog): Promise<void> {
    const { steps, taskId, reader } = this.#options
    const from = Math.max(this.#nextSeq, backlog.fromSeq)
    for await (const kept of readFeed<TaskRecord>(steps, subjects.taskRecords(taskId), from)) {
      this.#nextSeq = kept.seq + 1
      for (const record of backlog.wanted(kept.record)) this.#tell(record)
      await reader.room()
      if (this.#isOver) return
    }
  }

  #tell(record: TaskRecord): void {
    if (this.#isOver) return
    this.#last = record
    this.#options.reader.tell(record)
    if (record.type === 'state' && record.status !== 'RUNNING') this.stopped()
  }
}
