/** Polls for a condition that is not announced, within a time limit. */
import { sleep, waitAfter, type Clock, type WaitMs } from './clock.ts'

export interface PollOptions {
  /** The pause after an attempt; the first one is attempt 1. */
  readonly everyMs: WaitMs
  readonly withinMs: number
  /** Ends a pause; no attempt starts after it has aborted. */
  readonly signal?: AbortSignal
}

/**
 * Resolves with the first result that is sufficient or, at the time limit, with the last result, so
 * that the caller can report what was missing. Throws an attempt's error, or the signal's reason.
 */
export async function pollUntil<T>(
  clock: Clock,
  { everyMs, withinMs, signal }: PollOptions,
  look: () => Promise<T> | T,
  isEnough: (seen: T) => boolean = Boolean,
): Promise<T> {
  const untilMs = clock.monotonic() + withinMs
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted()
    const seen = await look()
    if (isEnough(seen) || clock.monotonic() >= untilMs) return seen
    await sleep(clock, waitAfter(everyMs, attempt), signal)
  }
}
