/** Looks again and again for something that is not announced, within a bound of time. */
import { sleep, waitAfter, type Clock, type WaitMs } from './clock.ts'

export interface PollOptions {
  /** The pause after a look; the first one is look 1. */
  readonly everyMs: WaitMs
  readonly withinMs: number
  /** Ends a pause; there is no look after it has aborted. */
  readonly signal?: AbortSignal
}

/**
 * Resolves with the first look that is enough or, when the time is over, with the last one: its
 * caller can say what was missing. Throws what a look throws, or the signal's reason.
 */
export async function pollUntil<T>(
  clock: Clock,
  { everyMs, withinMs, signal }: PollOptions,
  look: () => Promise<T> | T,
  isEnough: (seen: T) => boolean = Boolean,
): Promise<T> {
  const untilMs = clock.monotonic() + withinMs
  for (let looks = 1; ; looks++) {
    signal?.throwIfAborted()
    const seen = await look()
    if (isEnough(seen) || clock.monotonic() >= untilMs) return seen
    await sleep(clock, waitAfter(everyMs, looks), signal)
  }
}
