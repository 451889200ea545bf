/** Limits pings on request per endpoint, because each is sent to an untrusted address. */
import { webhookLimits as limits } from '../../../proto/access/webhooks/webhook-limits.ts'
import { ServiceError } from '../../../proto/errors.ts'

export const recentPings = (pings: readonly number[], atMs: number): readonly number[] =>
  pings.filter((pingedAtMs) => pingedAtMs > atMs - limits.pingWindowMs)

/** Throws `rate_limited`. */
export function admitPing(pings: readonly number[], atMs: number): void {
  const recent = recentPings(pings, atMs)
  if (recent.length < limits.pingsPerWindow) return
  const waitMs = recent[0]! + limits.pingWindowMs - atMs
  const message = `An endpoint can be pinged at most ${limits.pingsPerWindow} times a minute; try again later.`
  const seconds = Math.ceil(waitMs / 1_000)
  throw new ServiceError('rate_limited', message, { retry_after_seconds: seconds })
}
