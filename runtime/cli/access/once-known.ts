/** What was told to an actor past a gateway, which hears of it some milliseconds later. */
import { sleep, systemClock } from '../../clock.ts'
import { Refused } from './service.ts'

const firstWaitMs = 100
/** The waits double: six seconds in all. A refusal counts against this address, so they are few. */
const triesMost = 6

/** Tries until it is not refused as `early` any more. */
export async function onceKnown<T>(early: string, work: () => Promise<T>): Promise<T> {
  for (let n = 1; ; n++) {
    await sleep(systemClock, firstWaitMs * 2 ** (n - 1))
    try {
      return await work()
    } catch (error) {
      const isEarly = error instanceof Refused && error.type === early
      if (!isEarly || n >= triesMost) throw error
    }
  }
}
