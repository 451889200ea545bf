/**
 * Hosts whose clocks differ. Deadlines of grants, tokens and tasks are wall-clock times, which each
 * process compares with its own clock: a host that is an hour behind would let somebody in for an
 * hour too long. Leases are not concerned; they count monotonic time.
 */
import type { Logger } from 'pino'
import type { HostRecord } from '../proto/host.ts'
import { limits } from '../proto/limits.ts'
import type { Clock } from './clock.ts'

export interface ClockSkew {
  /** Positive: the other clock is ahead. As long as a renewal takes to get here is in it. */
  readonly skewMs: number
  /** Renewals in a row that were further off than `clockSkewMs`. */
  readonly apart: number
}

/** Renewals that are seen late are no skew: this process may have stood still. */
const apartBeforeTold = 3

/** What a renewal says of the other's clock; told in the log when it begins and when it is over. */
export function lookAtClock(
  { wallMs, incarnation }: HostRecord,
  { known, clock, log }: { readonly known?: ClockSkew | undefined; clock: Clock; log: Logger },
): ClockSkew | undefined {
  if (wallMs === undefined) return undefined
  const skewMs = wallMs - clock.now()
  const before = known?.apart ?? 0
  const apart = Math.abs(skewMs) > limits.clockSkewMs ? before + 1 : 0
  if (apart === apartBeforeTold) {
    log.error({ incarnation, skewMs }, 'its clock differs from this one; access ends by clocks')
  }
  if (apart === 0 && before >= apartBeforeTold) {
    log.info({ incarnation, skewMs }, 'its clock and this one agree again')
  }
  return { skewMs, apart }
}
