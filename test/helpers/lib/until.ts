import { setTimeout as wait } from 'node:timers/promises'

const lookEveryMs = { first: 20, last: 100 }
/**
 * Of the time waited so far: a condition that takes seconds is not looked at fifty times in each,
 * which keeps a service busier than what it does meanwhile.
 */
const shareOfWait = 0.1

/** Polls until there is a result: tests wait for conditions, never for an amount of time. */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  withinMs = 120_000,
): Promise<T> {
  const begun = performance.now()
  for (;;) {
    const seen = await look()
    if (seen !== undefined && seen !== false) return seen
    const waitedMs = performance.now() - begun
    if (waitedMs > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`)
    await wait(Math.min(Math.max(waitedMs * shareOfWait, lookEveryMs.first), lookEveryMs.last))
  }
}
