/**
 * Follows a bucket without ever comparing all of it: the watch's changes are numbered without gaps,
 * so one request says whether all of them were delivered. Everything is read again only if the store
 * has lost changes, or if nothing was confirmed for so long that markers of deletions may be gone.
 */
import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import { storeLimits } from './limits.ts'
import { StoreRolledBack, type Bucket, type BucketChange, type BucketWatch } from './store.ts'

/** The holder of a copy of the bucket; it ignores changes that are older than what it holds. */
export interface BucketFollower {
  apply(change: BucketChange): void
  keys(): Iterable<string>
  /** The next change of each key counts, whatever its revision: the store may have gone back. */
  forgetRevisions(): void
  /** The key is not in the bucket. */
  remove(key: string): void
}

export interface ConfirmedWatchOptions {
  readonly bucket: Bucket
  readonly follower: BucketFollower
  readonly clock: Clock
  readonly log?: Logger | undefined
}

export class ConfirmedWatch {
  readonly #options: ConfirmedWatchOptions
  #watch: BucketWatch | undefined
  /** By the wall clock, which goes on while the machine is suspended. */
  #confirmedAtMs: number
  /** Confirmations in a row that found the store behind what it had delivered. */
  #rollbacks = 0
  #stopped = false

  private constructor(options: ConfirmedWatchOptions) {
    this.#options = options
    this.#confirmedAtMs = options.clock.now()
  }

  /** Resolves when everything in the bucket was delivered. Throws {@link StoreUnavailable}. */
  static async open(options: ConfirmedWatchOptions): Promise<ConfirmedWatch> {
    const watch = new ConfirmedWatch(options)
    await watch.#follow()
    return watch
  }

  /**
   * Resolves when every change that the store had at the call was delivered. Throws {@link
   * StoreUnavailable}.
   */
  async confirm(): Promise<void> {
    const { clock, log } = this.#options
    const sinceMs = Math.abs(clock.now() - this.#confirmedAtMs)
    try {
      if (this.#watch && sinceMs < storeLimits.watchTrustedMs) await this.#watch.confirm()
      else await this.#readAgain()
    } catch (error) {
      if (!(error instanceof StoreRolledBack)) throw error
      // A server that has just become the leader may be behind for a moment.
      if (++this.#rollbacks < storeLimits.rollbacksBelieved) return
      log?.warn({ err: error }, 'the records that this process follows are read again')
      await this.#readAgain()
    }
    this.#rollbacks = 0
    this.#confirmedAtMs = clock.now()
  }

  stop(): void {
    this.#stopped = true
    this.#watch?.stop()
  }

  async #readAgain(): Promise<void> {
    const { follower } = this.#options
    this.#watch?.stop()
    // If the store does not answer now, the next confirmation begins here.
    this.#watch = undefined
    follower.forgetRevisions()
    const seen = new Set<string>()
    await this.#follow(seen)
    for (const key of [...follower.keys()]) if (!seen.has(key)) follower.remove(key)
  }

  async #follow(seen?: Set<string>): Promise<void> {
    const { bucket, follower } = this.#options
    const watch = await bucket.watch((change) => {
      seen?.add(change.key)
      if (!this.#stopped) follower.apply(change)
    })
    this.#watch = watch
    if (this.#stopped) watch.stop()
  }
}
