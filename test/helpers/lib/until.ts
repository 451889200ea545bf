import { setTimeout as wait } from 'node:timers/promises'

const lookEveryMs = 20

/** Polls until there is a result: tests wait for conditions, never for an amount of time. */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  withinMs = 120_000,
): Promise<T> {
  const giveUpAt = performance.now() + withinMs
  for (;;) {
    const seen = await look()
    if (seen !== undefined && seen !== false) return seen
    if (performance.now() > giveUpAt) throw new Error(`not within ${withinMs} ms: ${what}`)
    await wait(lookEveryMs)
  }
}
