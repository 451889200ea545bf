/** Time for the runtime: its only source, so that a simulation can control it. */
export interface Timer {
  cancel(): void
}

export interface Clock {
  /** Wall clock, ms since 1970: for records and deadlines that outlive a process. */
  now(): number
  /** Ms from an arbitrary origin, never going back: for leases and timeouts. */
  monotonic(): number
  /** Never fires before `ms` have passed on the monotonic clock. */
  timer(ms: number, fire: () => void): Timer
}

/** setTimeout takes 31 bits; longer waits fire early and the deadline's owner arms them again. */
const longestTimerMs = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  timer(ms, fire) {
    // Node drops the fraction and may fire a millisecond early, when the deadline would not be due
    // yet.
    const wait = ms <= 0 ? 0 : Math.ceil(ms) + 1
    const handle = setTimeout(fire, Math.min(wait, longestTimerMs))
    return { cancel: () => clearTimeout(handle) }
  },
}

/** Resolves after `ms`, or at once when the signal aborts. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const timer = clock.timer(ms, done)
    signal?.addEventListener('abort', done, { once: true })
    function done() {
      timer.cancel()
      signal?.removeEventListener('abort', done)
      resolve()
    }
  })
}

/** Resolves when `work` has ended, successfully or not, or after `ms`. */
export async function settleWithin(
  clock: Clock,
  ms: number,
  work: Promise<unknown>,
): Promise<void> {
  const over = new AbortController()
  void work.finally(() => over.abort()).catch(() => {})
  await sleep(clock, ms, over.signal)
}

/** Settles as `work` does, or rejects with `late()` after `ms`; the work itself continues. */
export function withDeadline<T>(
  clock: Clock,
  ms: number,
  work: Promise<T>,
  late: () => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.timer(ms, () => reject(late()))
    void work.then(resolve, reject).finally(() => timer.cancel())
  })
}

/** Exponential backoff with full jitter above half: attempt 1 waits `baseMs` at most. */
export function backoffMs(attempt: number, baseMs: number, maxMs: number, random = Math.random()) {
  const ceiling = Math.min(maxMs, baseMs * 2 ** (attempt - 1))
  return ceiling / 2 + (ceiling / 2) * random
}

/** The wait after attempt 1, 2, 3 …: constant, or computed by the function. */
export type WaitMs = number | ((attempt: number) => number)

export const waitAfter = (waitMs: WaitMs, attempt: number): number =>
  typeof waitMs === 'number' ? waitMs : waitMs(attempt)
