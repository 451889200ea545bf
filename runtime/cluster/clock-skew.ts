/**
 * Detects clock skew between hosts. Deadlines of grants, tokens and tasks are wall-clock times that
 * each process compares with its own clock: a host that is an hour behind would accept a grant for
 * an hour too long. Leases are not affected, because they use monotonic time.
 */
import type { Logger } from 'pino'
import type { HostRecord } from '../../proto/host.ts'
import { limits } from '../../proto/limits.ts'
import type { Clock } from '../lib/clock.ts'

export interface ClockSkew {
  /** Positive: the other clock is ahead. Includes the time that a renewal takes to arrive. */
  readonly skewMs: number
  /** Consecutive renewals that were off by more than `clockSkewMs`. */
  readonly apart: number
}

/** A single late renewal is not skew: this process may have been paused. */
const renewalsBeforeWarning = 3

/** Compares a renewal's clock with ours; logs when skew begins and ends. */
export function checkClock(
  { wallMs, incarnation }: HostRecord,
  { known, clock, log }: { readonly known?: ClockSkew | undefined; clock: Clock; log: Logger },
): ClockSkew | undefined {
  if (wallMs === undefined) return undefined
  const skewMs = wallMs - clock.now()
  const before = known?.apart ?? 0
  const apart = Math.abs(skewMs) > limits.clockSkewMs ? before + 1 : 0
  if (apart === renewalsBeforeWarning) {
    log.error({ incarnation, skewMs }, 'its clock differs from this one; access ends by clocks')
  }
  if (apart === 0 && before >= renewalsBeforeWarning) {
    log.info({ incarnation, skewMs }, 'its clock agrees with this one again')
  }
  return { skewMs, apart }
}
