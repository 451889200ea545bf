/**
 * Keeps one reader up to date with a bucket. Changes arrive as the server republishes them: fast,
 * but at most once. Entries of a bucket's stream are numbered without gaps, so a missed change is
 * noticed at once and read from the stream. Reading needs no consumer, which a cluster with one
 * server down often fails to create.
 */
import { sleep, systemClock, type Timer } from '../../lib/clock.ts'
import { StoreRolledBack, StoreUnavailable, type BucketChange, type BucketWatch } from '../store.ts'
import { storeLimits } from '../limits.ts'

export interface BucketSource {
  /** The first change whose revision is at least `revision`; undefined if there is none. */
  next(revision: number): Promise<BucketChange | undefined>
  /** The revision of the last change. */
  last(): Promise<number>
  readonly name: string
  readonly onChange: (change: BucketChange) => void
}

export class BucketWatcher implements BucketWatch {
  readonly #source: BucketSource
  /** Every change up to this revision was delivered. */
  #delivered: number
  /** The last delivered revision when the end of the stream was found to be missing. */
  #gapAfter = -1
  #catchingUp: Promise<boolean> | undefined
  #again = false
  #stopped = false
  #timer: Timer | undefined

  constructor(source: BucketSource, delivered: number) {
    this.#source = source
    this.#delivered = delivered
    this.#schedule()
  }

  /**
   * Takes a republished change: delivers it if it is the next one, otherwise reads the missed ones.
   */
  offer(change: BucketChange): void {
    if (this.#stopped || change.revision <= this.#delivered) return
    if (this.#catchingUp === undefined && change.revision === this.#delivered + 1)
      this.#deliver(change)
    else void this.catchUp()
  }

  /**
   * Reads everything after the last delivered change. Called for a gap, after a reconnect, and at a
   * slow interval. False if the store does not answer.
   */
  catchUp(): Promise<boolean> {
    this.#again = true
    this.#catchingUp ??= this.#readOn().finally(() => {
      this.#catchingUp = undefined
      this.#schedule()
    })
    return this.#catchingUp
  }

  async confirm(): Promise<void> {
    const { name } = this.#source
    const last = await this.#source.last()
    if (last < this.#delivered) throw new StoreRolledBack(name)
    // Usually they are on their way.
    if (last > this.#delivered) await sleep(systemClock, storeLimits.watchOnItsWayMs)
    // So there is nothing to read for a while.
    if (last <= this.#delivered) return this.#schedule()
    if (!(await this.catchUp())) throw new StoreUnavailable(`changes of ${name}`)
    if (last <= this.#delivered) return
    // What was removed from the end of the stream leaves a gap. A server that is behind for a moment
    // looks the same, so the gap is believed when it is still there.
    if (this.#gapAfter === this.#delivered) this.#delivered = last
    else this.#gapAfter = this.#delivered
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
  }

  async #readOn(): Promise<boolean> {
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false
        for (
          let change;
          (change = await this.#source.next(this.#delivered + 1)) && !this.#stopped;
        ) {
          this.#deliver(change)
        }
      }
      return true
    } catch (error) {
      // The store is unavailable: after the reconnect or the interval, this runs again.
      if (!(error instanceof StoreUnavailable)) throw error
      return false
    }
  }

  #deliver(change: BucketChange): void {
    this.#delivered = change.revision
    this.#source.onChange(change)
  }

  #schedule(): void {
    this.#timer?.cancel()
    if (this.#stopped) return
    this.#timer = systemClock.timer(storeLimits.watchCatchUpMs, () => void this.catchUp())
  }
}
