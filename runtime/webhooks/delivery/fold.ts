/** The state of a delivery, attempt by attempt. Pure. */
import {
  isSentOnce,
  type AttemptError,
  type Delivery,
  type DeliveryAttempt,
  type DeliveryReason,
} from '../../../proto/access/webhooks/delivery.ts'
import { webhookLimits as limits } from '../../../proto/access/webhooks/webhook-limits.ts'

/** The result of an attempt. */
export interface AttemptOutcome {
  readonly durationMs: number
  readonly statusCode?: number
  readonly error?: AttemptError
  readonly excerpt?: string
  /** As the receiver requested with Retry-After. */
  readonly retryAfterMs?: number
}

export const isAttemptSuccess = ({
  statusCode,
  error,
}: Pick<AttemptOutcome, 'statusCode' | 'error'>): boolean =>
  error === undefined && statusCode !== undefined && statusCode >= 200 && statusCode <= 299

/** Written by compare-and-set before anything is sent, so no attempt number is used twice. */
export function claimDelivery(delivery: Delivery, by: string, nowMs: number): Delivery {
  const { nextAttemptAtMs: _, ...rest } = delivery
  const claim = { by, atMs: nowMs, untilMs: nowMs + limits.claimMs }
  return { ...rest, status: 'sending', attempt: delivery.attempt + 1, claim }
}

/** `random`: 0 to 1. */
export function settleAttempt(
  { claim, ...delivery }: Delivery,
  { retryAfterMs, ...outcome }: AttemptOutcome,
  nowMs: number,
  random: number,
): Delivery {
  const attempt: DeliveryAttempt = {
    n: delivery.attempt,
    atMs: claim?.atMs ?? nowMs,
    ...outcome,
  }
  const attempts = [...delivery.attempts, attempt]
  const updated = { ...delivery, attempts }
  if (isAttemptSuccess(outcome)) return { ...updated, status: 'delivered', completedAtMs: nowMs }
  const waitMs = retryDelayMs(delivery.attempt + 1, random)
  const isLast = waitMs === undefined || isSentOnce(delivery) || outcome.error === 'blocked_address'
  if (isLast) return { ...updated, status: 'exhausted', completedAtMs: nowMs }
  const askedMs = Math.min(retryAfterMs ?? 0, limits.retryAfterMostMs)
  return { ...updated, status: 'retrying', nextAttemptAtMs: nowMs + Math.max(waitMs, askedMs) }
}

/**
 * The worker that claimed it is gone and it is unknown whether it was sent, so it is sent again at
 * once.
 */
export function interruptAttempt(delivery: Delivery, nowMs: number): Delivery {
  const { claim } = delivery
  const durationMs = Math.max(0, nowMs - (claim?.atMs ?? nowMs))
  const failed = settleAttempt(delivery, { error: 'interrupted', durationMs }, nowMs, 0)
  return failed.status === 'retrying' ? { ...failed, nextAttemptAtMs: nowMs } : failed
}

export function cancelDelivery(
  { claim: _, nextAttemptAtMs: __, ...delivery }: Delivery,
  reason: DeliveryReason,
  nowMs: number,
): Delivery {
  return { ...delivery, status: 'cancelled', reason, completedAtMs: nowMs }
}

/** Undefined if there is no such attempt. */
function retryDelayMs(attempt: number, random: number): number | undefined {
  const waitMs = limits.scheduleMs[attempt - 1]
  return waitMs && Math.round(waitMs * (1 + limits.jitterShare * (2 * random - 1)))
}
