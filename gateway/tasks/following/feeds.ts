/**
 * The records of tasks as they are written: one follower for each task, shared by all its readers
 * on this gateway.
 */
import type { Logger } from 'pino'
import { ServiceError } from '../../../proto/errors.ts'
import { subjects } from '../../../proto/subjects.ts'
import type { TaskRecord } from '../../../proto/task/task.ts'
import type { MessageSubscriber } from '../../../runtime/store/bus.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import { FeedFollower, type FeedEntry } from '../../../runtime/actor/feed.ts'
import type { LogStore } from '../../../runtime/store/store.ts'

export interface FeedDeps {
  readonly steps: LogStore
  readonly bus: MessageSubscriber
  readonly clock: Clock
  readonly log: Logger
}

export interface FeedListener {
  onRecord(kept: FeedEntry<TaskRecord>): void
  /** No more records will be delivered. */
  stopped(): void
}

export class TaskFeeds {
  readonly #deps: FeedDeps
  readonly #feeds = new Map<string, Promise<TaskFeed>>()
  #isStopped = false

  constructor(deps: FeedDeps) {
    this.#deps = deps
  }

  /** The number of tasks that are followed. */
  get size(): number {
    return this.#feeds.size
  }

  /** Starts listening to one task, until the listener leaves. */
  async listen(taskId: string, listener: FeedListener): Promise<TaskFeed> {
    for (;;) {
      const feed = await (this.#feeds.get(taskId) ?? this.#open(taskId))
      // Fails if its last listener has just left; then a new feed is opened.
      if (feed.listen(listener)) return feed
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    const feeds = await Promise.allSettled(this.#feeds.values())
    for (const feed of feeds) if (feed.status === 'fulfilled') feed.value.stop()
  }

  #open(taskId: string): Promise<TaskFeed> {
    if (this.#isStopped)
      throw new ServiceError('draining', 'This gateway is shutting down; try again.')
    const feed = this.#start(taskId)
    this.#feeds.set(taskId, feed)
    // After a failure the next listener opens a new feed.
    feed.catch(() => this.#feeds.delete(taskId))
    return feed
  }

  async #start(taskId: string): Promise<TaskFeed> {
    const { steps } = this.#deps
    const last = await steps.last(subjects.taskRecords(taskId))
    return new TaskFeed(this.#deps, taskId, last ? last.seq + 1 : 0, () => {
      this.#feeds.delete(taskId)
    })
  }
}

export class TaskFeed {
  readonly #follower: FeedFollower<TaskRecord>
  readonly #listeners = new Set<FeedListener>()
  readonly #onOver: () => void
  #isOver = false

  constructor(deps: FeedDeps, taskId: string, fromSeq: number, onOver: () => void) {
    this.#onOver = onOver
    this.#follower = new FeedFollower<TaskRecord>({
      ...deps,
      subject: subjects.taskRecords(taskId),
      fromSeq,
      onRecord: (kept) => {
        for (const listener of this.#listeners) listener.onRecord(kept)
      },
    })
  }

  /** All records before this sequence have been delivered to the listeners. */
  get nextSeq(): number {
    return this.#follower.nextSeq
  }

  /** Returns false if the feed has stopped, and a new one must be opened. */
  listen(listener: FeedListener): boolean {
    if (!this.#isOver) this.#listeners.add(listener)
    return !this.#isOver
  }

  /** When the last listener leaves, the feed stops. */
  leave(listener: FeedListener): void {
    this.#listeners.delete(listener)
    if (this.#listeners.size === 0) this.stop()
  }

  stop(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#follower.stop()
    this.#onOver()
    for (const listener of this.#listeners) listener.stopped()
  }
}
