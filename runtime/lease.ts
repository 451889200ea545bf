/**
 * A process's lease: one record in KV `hosts`, renewed by compare-and-set. The process may act
 * while `isValid()`; it counts from *before* its renewal was sent, observers from *after* it was
 * stored, so it has stopped before anyone may declare it dead. (Protocol: README.md, ownership.)
 */
import { decode, encode } from '../proto/codec.ts'
import type { HostRecord } from '../proto/host.ts'
import type { Incarnation } from '../proto/ids.ts'
import { limits } from '../proto/limits.ts'
import type { Clock, Timer } from './clock.ts'
import { Conflict, type Bucket } from './store.ts'

export interface LeaseTimes {
  /** How long a renewal is good for. */
  readonly leaseMs: number
  readonly renewMs: number
  /** Deadline of one try at the store. */
  readonly tryMs: number
  /** Margin for clock rates and event-loop stalls. */
  readonly safetyMs: number
}

/**
 * A cluster may need 9 s to elect a leader, during which nobody can
 * renew; one server restarts in less.
 */
export function leaseTimes(clustered: boolean, leaseSeconds = 0): LeaseTimes {
  const leaseMs = leaseSeconds > 0 ? leaseSeconds * 1000 : clustered ? 15_000 : 6_000
  return {
    leaseMs,
    renewMs: Math.min(clustered ? 2_000 : 1_500, leaseMs / 4),
    tryMs: clustered ? 800 : 500,
    safetyMs: Math.min(clustered ? 1_000 : 500, leaseMs / 6),
  }
}

export interface LeaseOptions {
  readonly hosts: Bucket
  readonly clock: Clock
  readonly times: LeaseTimes
  /** What the record says besides the lease itself; asked at each renewal. */
  readonly describe: () => Omit<HostRecord, 'state' | 'leaseMs'>
  /** The lease has lapsed unrenewed; a later renewal may still bring it back. */
  readonly onLapsed: () => void
  /** The record says `dead`: this incarnation must end. */
  readonly onDead: (by: string) => void
}

export class Lease {
  readonly incarnation: Incarnation
  readonly times: LeaseTimes
  readonly #options: LeaseOptions
  #revision = 0
  #validUntil = 0
  #state: 'alive' | 'draining' | 'over' = 'alive'
  #renewing: Promise<void> | undefined
  #touched = false
  #unanswered = false
  /** The last read of our record found none. */
  #missing = false
  #renewTimer: Timer | undefined
  #lapseTimer: Timer | undefined

  private constructor(options: LeaseOptions) {
    this.#options = options
    this.times = options.times
    this.incarnation = options.describe().incarnation
  }

  static async acquire(options: LeaseOptions): Promise<Lease> {
    const lease = new Lease(options)
    const sent = options.clock.monotonic()
    lease.#revision = await options.hosts.create(lease.incarnation, lease.#record())
    lease.#renewed(sent)
    lease.#schedule()
    return lease
  }

  isValid(): boolean {
    return this.#state !== 'over' && this.#options.clock.monotonic() < this.#validUntil
  }

  /**
   * Publishes a fresh record soon, because what `describe` says has
   * changed; changes in a row go together.
   */
  touch(): void {
    if (this.#renewing) this.#touched = true
    else if (!this.#touched) {
      this.#touched = true
      this.#schedule(limits.leaseTouchMs)
    }
  }

  /** Says that nothing new should be placed here. */
  async drain(): Promise<void> {
    this.#state = 'draining'
    await this.#renewing
    await this.#renew()
  }

  /** Ends this incarnation by its own word, so that nobody has to wait for the lease to lapse. */
  async release(): Promise<void> {
    this.stop()
    await this.#renewing
    const record: HostRecord = {
      ...this.#options.describe(),
      leaseMs: this.times.leaseMs,
      state: 'dead',
      by: this.incarnation,
    }
    await this.#options.hosts.update(this.incarnation, encode(record), this.#revision)
  }

  /** Stops renewing without a word to anyone. */
  stop(): void {
    this.#state = 'over'
    this.#renewTimer?.cancel()
    this.#lapseTimer?.cancel()
  }

  #record(): Uint8Array {
    const record: HostRecord = {
      ...this.#options.describe(),
      leaseMs: this.times.leaseMs,
      wallMs: this.#options.clock.now(),
      state: this.#state === 'draining' ? 'draining' : 'alive',
    }
    return encode(record)
  }

  /** A store that did not answer is asked again at once, while there is lease left to renew. */
  #schedule(waitMs = this.#unanswered ? limits.leaseRetryMs : this.times.renewMs): void {
    this.#renewTimer?.cancel()
    if (this.#state === 'over') return
    this.#renewTimer = this.#options.clock.timer(waitMs, () => {
      if (!this.#renewing) void this.#renew()
    })
  }

  #renew(): Promise<void> {
    this.#touched = false
    this.#renewing = this.#tryRenew().finally(() => {
      this.#renewing = undefined
      if (this.#touched && this.#state !== 'over') void this.#renew()
      else this.#schedule()
    })
    return this.#renewing
  }

  async #tryRenew(): Promise<void> {
    if (this.#state === 'over') return
    const { hosts, clock } = this.#options
    const sent = clock.monotonic()
    try {
      this.#revision = await hosts.update(this.incarnation, this.#record(), this.#revision)
      this.#renewed(sent)
      this.#unanswered = false
    } catch (error) {
      // A store that does not answer is asked until it does; the lapse timer bounds that.
      this.#unanswered = true
      if (error instanceof Conflict) await this.#reread()
    }
  }

  /** A conflict is our own renewal whose answer was lost, or somebody's word that we are dead. */
  async #reread(): Promise<void> {
    try {
      const entry = await this.#options.hosts.get(this.incarnation)
      const record = entry && decode<HostRecord>(entry.value)
      const wasMissing = this.#missing
      this.#missing = entry === undefined
      // One read that finds nothing may be wrong, and the end of a node agent is the end of its
      // browsers: the next try asks again, at once.
      if (!entry && !wasMissing) return
      if (entry && record && record.state !== 'dead') {
        this.#revision = entry.revision
        this.#touched = true
        return
      }
      this.stop()
      this.#options.onDead(record?.by ?? 'its record is gone')
    } catch {
      // The store went away between two calls: the next try meets the same conflict and re-reads.
    }
  }

  #renewed(sentMs: number): void {
    this.#validUntil = sentMs + this.times.leaseMs - this.times.safetyMs
    this.#watchLapse()
  }

  #watchLapse(): void {
    const { clock, onLapsed } = this.#options
    this.#lapseTimer?.cancel()
    // At least 1 ms: what is left may be less than a clock can tell.
    const leftMs = Math.max(1, this.#validUntil - clock.monotonic())
    this.#lapseTimer = clock.timer(leftMs, () => {
      if (this.#state === 'over') return
      if (this.isValid()) this.#watchLapse()
      else onLapsed()
    })
  }
}
