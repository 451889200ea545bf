/**
 * A gateway's knowledge of the audit's progress: without an up-to-date audit it allows no
 * decisions.
 */
import { auditStateKey, type AuditState } from '../../../proto/access/audit/audit.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { decode } from '../../../proto/codec.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { buckets } from '../../../proto/subjects.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Store } from '../../store/store.ts'
import { WatchedMap } from '../../store/watched-map.ts'

export class AuditWatch {
  readonly #clock: Clock
  readonly #map: WatchedMap<AuditState>
  /** On our monotonic clock, because hosts' wall clocks differ. */
  #receivedAtMs = -Infinity

  private constructor(map: WatchedMap<AuditState>, clock: Clock) {
    this.#clock = clock
    this.#map = map
    const known = this.state
    if (known) this.#receivedAtMs = clock.monotonic() - Math.max(0, clock.now() - known.atMs)
    map.onChange(() => void (this.#receivedAtMs = clock.monotonic()))
  }

  static async open(store: Pick<Store, 'bucket'>, clock: Clock): Promise<AuditWatch> {
    const map = await WatchedMap.open<AuditState>(store.bucket(buckets.audit), decode, clock)
    return new AuditWatch(map, clock)
  }

  /** Undefined until an actor host has run the audit for the first time. */
  get state(): AuditState | undefined {
    return this.#map.get(auditStateKey)
  }

  /** How far the audit may be behind. */
  get lagMs(): number {
    const ageMs = this.#clock.monotonic() - this.#receivedAtMs
    const { oldestMs } = this.state ?? {}
    return Math.max(ageMs, oldestMs === undefined ? 0 : this.#clock.now() - oldestMs)
  }

  /** Throws `audit_unavailable` while a decision could not be recorded in time. */
  assertAudited(): void {
    const backlog = this.state?.backlogEntries ?? 0
    if (this.lagMs <= limits.auditLagMs && backlog <= limits.auditLagEntries) return
    throw new ServiceError(
      'audit_unavailable',
      'The audit is behind, so decisions are refused until it has caught up. Try again ' +
        'shortly; if this continues, an actor host is missing or the store is full.',
    )
  }

  stop(): void {
    this.#map.stop()
  }
}
