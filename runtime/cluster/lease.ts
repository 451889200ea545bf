/**
 * A process's lease: one record in KV `hosts`, renewed by compare-and-set. The process may act
 * while `isValid()`. It counts from *before* its renewal was sent, observers from *after* it was
 * stored, so it has stopped before it may be declared dead. (Protocol: README.md, ownership.)
 */
import { decode, encode } from '../../proto/codec.ts'
import type { HostRecord } from '../../proto/host.ts'
import type { Incarnation } from '../../proto/ids.ts'
import { settleWithin, type Clock, type Timer } from '../lib/clock.ts'
import { StoreConflict, type Bucket } from '../store/store.ts'
import { clusterLimits } from './limits.ts'
import { certifyDeath } from './membership.ts'

export interface LeaseTimes {
  /** How long a renewal is valid. */
  readonly leaseMs: number
  readonly renewMs: number
  /** Timeout of one request to the store. */
  readonly tryMs: number
  /** Margin for clock drift and event-loop stalls. */
  readonly safetyMs: number
}

/**
 * A cluster needs 4 to 9 s to elect a leader, and as long again if two servers stand at the same
 * time and none of them wins; no lease can be renewed meanwhile. A single server restarts in less.
 */
export function leaseTimes(clustered: boolean, leaseSeconds = 0): LeaseTimes {
  const leaseMs = leaseSeconds > 0 ? leaseSeconds * 1000 : clustered ? 20_000 : 6_000
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
  /** The record's other fields; called at each renewal. */
  readonly describe: () => Omit<HostRecord, 'state' | 'leaseMs'>
  /** The lease has expired; a later renewal may still succeed. */
  readonly onLapsed: () => void
  /** The record says `dead`: this incarnation must end. */
  readonly onDead: (by: string) => void
}

interface Moment {
  /** On the monotonic clock. */
  readonly atMs: number
  /** Wall clock minus monotonic clock. */
  readonly offsetMs: number
}

export class Lease {
  readonly incarnation: Incarnation
  readonly times: LeaseTimes
  readonly #options: LeaseOptions
  #revision = 0
  #validUntil = 0
  /** Wall clock minus monotonic clock when the last successful renewal was sent. */
  #offsetMs = 0
  #state: 'alive' | 'draining' | 'over' = 'alive'
  #renewing: Promise<void> | undefined
  #touched = false
  #unanswered = false
  /** True if the last read of our record found none. */
  #missing = false
  /** Set while a caller waits for the next renewal. */
  #renewal: Promise<void> | undefined
  #onRenewal = () => {}
  #renewTimer: Timer | undefined
  #lapseTimer: Timer | undefined

  private constructor(options: LeaseOptions) {
    this.#options = options
    this.times = options.times
    this.incarnation = options.describe().incarnation
  }

  static async acquire(options: LeaseOptions): Promise<Lease> {
    const lease = new Lease(options)
    const sent = lease.#moment()
    lease.#revision = await options.hosts.create(lease.incarnation, lease.#record())
    lease.#renewed(sent)
    lease.#schedule()
    return lease
  }

  isValid(): boolean {
    return this.#state !== 'over' && this.#options.clock.monotonic() < this.#validUntil
  }

  /**
   * Valid, and the clocks have gone on together since the last renewal. If they have not, the wall clock
   * was set, or the machine was suspended: then the monotonic clock stood still while the lease
   * expired for everybody else.
   */
  get isCertain(): boolean {
    if (!this.isValid()) return false
    const { offsetMs } = this.#moment()
    return Math.abs(offsetMs - this.#offsetMs) <= this.times.safetyMs * clusterLimits.clockJumpShare
  }

  /** As `isValid`, for what must not be done without the lease: in doubt, renews it first. */
  mayAct(): boolean | Promise<boolean> {
    if (this.isCertain || !this.isValid()) return this.isValid()
    return this.#isConfirmed()
  }

  /** Waits for the next renewal if the lease has expired; false if there is none within `ms`. */
  async validWithin(ms: number): Promise<boolean> {
    if (!this.isValid() && this.#state !== 'over') await this.#renewalWithin(ms)
    return this.mayAct()
  }

  async #isConfirmed(): Promise<boolean> {
    while (this.isValid() && !this.isCertain) {
      if (!this.#renewing) void this.#renew()
      await this.#renewalWithin(this.times.tryMs)
    }
    return this.isValid()
  }

  #renewalWithin(ms: number): Promise<void> {
    this.#renewal ??= new Promise((resolve) => (this.#onRenewal = resolve))
    return settleWithin(this.#options.clock, ms, this.#renewal)
  }

  /**
   * Publishes the record soon, because the result of `describe` has changed; several changes are
   * combined.
   */
  touch(): void {
    if (this.#renewing) this.#touched = true
    else if (!this.#touched) {
      this.#touched = true
      this.#schedule(clusterLimits.leaseTouchMs)
    }
  }

  /** Publishes that no new work should be placed here. */
  async drain(): Promise<void> {
    this.#state = 'draining'
    await this.#renewing
    await this.#renew()
  }

  /** Takes new work again, after `drain`. */
  async undrain(): Promise<void> {
    if (this.#state !== 'draining') return
    this.#state = 'alive'
    await this.#renewing
    await this.#renew()
  }

  /** Marks this incarnation as ended, so that the others need not wait for the lease to expire. */
  async release(): Promise<void> {
    this.stop()
    await this.#renewing
    const record: HostRecord = {
      ...this.#options.describe(),
      leaseMs: this.times.leaseMs,
      state: 'dead',
      by: this.incarnation,
    }
    const { hosts } = this.#options
    try {
      await hosts.update(this.incarnation, encode(record), this.#revision)
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error
      // It was declared silent meanwhile.
      await certifyDeath(hosts, this.incarnation, this.incarnation)
    }
  }

  /** Stops renewing without an announcement. */
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

  /** If the store did not answer, the renewal is retried soon, while the lease is valid. */
  #schedule(waitMs = this.#unanswered ? clusterLimits.leaseRetryMs : this.times.renewMs): void {
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
    const { hosts } = this.#options
    const sent = this.#moment()
    try {
      this.#revision = await hosts.update(this.incarnation, this.#record(), this.#revision)
      this.#renewed(sent)
      this.#unanswered = false
    } catch (error) {
      // An unanswered renewal is retried until the lapse timer fires.
      this.#unanswered = true
      if (error instanceof StoreConflict) await this.#reread()
    }
  }

  /**
   * A conflict means that the answer to our own renewal was lost, or that we were declared dead.
   */
  async #reread(): Promise<void> {
    try {
      const entry = await this.#options.hosts.get(this.incarnation)
      const record = entry && decode<HostRecord>(entry.value)
      const wasMissing = this.#missing
      this.#missing = entry === undefined
      // One empty read may be wrong, and the end of a node agent ends its browsers: the next try
      // reads again at once.
      if (!entry && !wasMissing) return
      if (entry && record && record.state !== 'dead') {
        this.#revision = entry.revision
        this.#touched = true
        return
      }
      this.stop()
      this.#options.onDead(record?.by ?? 'its record is gone')
    } catch {
      // The store went away between two calls: the next renewal meets the same conflict and reads
      // again.
    }
  }

  #moment(): Moment {
    const { clock } = this.#options
    const atMs = clock.monotonic()
    return { atMs, offsetMs: clock.now() - atMs }
  }

  #renewed({ atMs, offsetMs }: Moment): void {
    this.#validUntil = atMs + this.times.leaseMs - this.times.safetyMs
    this.#offsetMs = offsetMs
    this.#onRenewal()
    this.#renewal = undefined
    this.#watchLapse()
  }

  #watchLapse(): void {
    const { clock, onLapsed } = this.#options
    this.#lapseTimer?.cancel()
    // At least 1 ms: the rest may be below the clock's resolution.
    const leftMs = Math.max(1, this.#validUntil - clock.monotonic())
    this.#lapseTimer = clock.timer(leftMs, () => {
      if (this.#state === 'over') return
      if (this.isValid()) this.#watchLapse()
      else onLapsed()
    })
  }
}
