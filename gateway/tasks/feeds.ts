/**
 * The records of tasks as they come: one follower for each task that anybody here watches, however
 * many they are.
 */
import type { Logger } from 'pino'
import { ServiceError } from '../../proto/errors.ts'
import { subjects } from '../../proto/subjects.ts'
import type { TaskRecord } from '../../proto/task.ts'
import type { Announcements } from '../../runtime/bus.ts'
import type { Clock } from '../../runtime/clock.ts'
import { Follower, type Kept } from '../../runtime/feed.ts'
import type { LogStore } from '../../runtime/store.ts'

export interface FeedDeps {
  readonly steps: LogStore
  readonly bus: Announcements
  readonly clock: Clock
  readonly log: Logger
}

export interface FeedListener {
  heard(kept: Kept<TaskRecord>): void
  /** Nothing more will be told here. */
  stopped(): void
}

export class TaskFeeds {
  readonly #deps: FeedDeps
  readonly #feeds = new Map<string, Promise<TaskFeed>>()
  #isStopped = false

  constructor(deps: FeedDeps) {
    this.#deps = deps
  }

  /** How many are followed. */
  get size(): number {
    return this.#feeds.size
  }

  /** Listens to one task, from now on at the latest, until the listener leaves. */
  async listen(taskId: string, listener: FeedListener): Promise<TaskFeed> {
    for (;;) {
      const feed = await (this.#feeds.get(taskId) ?? this.#open(taskId))
      // Its last listener may just have left.
      if (feed.listen(listener)) return feed
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    const feeds = await Promise.allSettled(this.#feeds.values())
    for (const feed of feeds) if (feed.status === 'fulfilled') feed.value.stop()
  }

  #open(taskId: string): Promise<TaskFeed> {
    if (this.#isStopped) throw new ServiceError('draining', 'This gateway is shut down; try again.')
    const feed = this.#start(taskId)
    this.#feeds.set(taskId, feed)
    // Whoever comes next tries anew.
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
  readonly #follower: Follower<TaskRecord>
  readonly #listeners = new Set<FeedListener>()
  readonly #onOver: () => void
  #isOver = false

  constructor(deps: FeedDeps, taskId: string, fromSeq: number, onOver: () => void) {
    this.#onOver = onOver
    this.#follower = new Follower<TaskRecord>({
      ...deps,
      subject: subjects.taskRecords(taskId),
      fromSeq,
      onRecord: (kept) => {
        for (const listener of this.#listeners) listener.heard(kept)
      },
    })
  }

  /** What stands before it in the log has been told, to those who listened. */
  get nextSeq(): number {
    return this.#follower.nextSeq
  }

  /** False when it has ended, and another is to be opened. */
  listen(listener: FeedListener): boolean {
    if (!this.#isOver) this.#listeners.add(listener)
    return !this.#isOver
  }

  /** The last one to leave ends it. */
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
