/** Retries failing work, within a limit of attempts or time. */
import { sleep, waitAfter, type Clock, type WaitMs } from './clock.ts'

export type RetryOptions = RetryRules &
  (
    | { readonly attemptsMax: number; readonly withinMs?: number }
    | { readonly attemptsMax?: number; readonly withinMs: number }
  )

interface RetryRules {
  /** The pause after an attempt; the first one is attempt 1. */
  readonly waitMs: WaitMs
  /** Whether another attempt could succeed; other failures are thrown at once. */
  readonly isRetryable: (error: unknown) => boolean
  /** Called with each failure that is followed by another attempt. */
  readonly onRetry?: (error: unknown, attempt: number) => void
  /** Ends a pause; no attempt begins after it has aborted. */
  readonly signal?: AbortSignal
}

/**
 * Throws the error of the last attempt, or the signal's reason. An attempt that fails after
 * `withinMs` is the last one; a running attempt is not interrupted.
 */
export async function retry<T>(
  clock: Clock,
  options: RetryOptions,
  work: (attempt: number) => Promise<T>,
): Promise<T> {
  const { attemptsMax = Infinity, withinMs = Infinity, waitMs, isRetryable } = options
  const { onRetry, signal } = options
  const untilMs = clock.monotonic() + withinMs
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted()
    try {
      return await work(attempt)
    } catch (error) {
      const isLast = attempt >= attemptsMax || clock.monotonic() >= untilMs
      if (isLast || !isRetryable(error)) throw error
      onRetry?.(error, attempt)
    }
    await sleep(clock, waitAfter(waitMs, attempt), signal)
  }
}
