/**
 * Retries for actors that were changed without a gateway, which learns of it some milliseconds
 * later.
 */
import { sleep, systemClock } from '../../../lib/clock.ts'
import { RequestRefused } from '../service/service.ts'

const firstWaitMs = 100
/**
 * The waits double, six seconds in total. Few, because each refusal counts against this address.
 */
const triesMost = 6

/** Retries until the error is no longer `early`. */
export async function retryWhileEarly<T>(early: string, work: () => Promise<T>): Promise<T> {
  for (let n = 1; ; n++) {
    await sleep(systemClock, firstWaitMs * 2 ** (n - 1))
    try {
      return await work()
    } catch (error) {
      const isEarly = error instanceof RequestRefused && error.type === early
      if (!isEarly || n >= triesMost) throw error
    }
  }
}
