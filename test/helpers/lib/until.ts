import { setTimeout as wait } from 'node:timers/promises'
import { testimony } from './witnesses.ts'

const lookEveryMs = 20

/** Of a file that hangs, or is ended because it takes too long. */
const awaited = new Set<string>()
process.once('exit', () => {
  for (const what of awaited) console.error(`still waiting: ${what}`)
  if (awaited.size > 0) console.error(testimony())
})

/**
 * Polls until there is a result: tests wait for conditions, never for an amount of time. The error of
 * a condition that never holds has what the services of the test have last said.
 */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  withinMs = 120_000,
): Promise<T> {
  const giveUpAt = performance.now() + withinMs
  awaited.add(what)
  try {
    for (;;) {
      const seen = await look()
      if (seen !== undefined && seen !== false) return seen
      if (performance.now() > giveUpAt) {
        throw new Error([`not within ${withinMs} ms: ${what}`, testimony()].join('\n').trimEnd())
      }
      await wait(lookEveryMs)
    }
  } finally {
    awaited.delete(what)
  }
}
