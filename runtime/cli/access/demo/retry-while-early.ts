/**
 * Retries for actors that were changed without a gateway, which learns of it some milliseconds
 * later.
 */
import { sleep, systemClock } from '../../../lib/clock.ts'
import { retry } from '../../../lib/retry.ts'
import { RequestRefused } from '../service/service.ts'

const firstWaitMs = 100
/**
 * The waits double, six seconds in total. Few, because each refusal counts against this address.
 */
const triesMost = 6

/** Retries until the error is no longer `early`. */
export async function retryWhileEarly<T>(early: string, work: () => Promise<T>): Promise<T> {
  const options = {
    attemptsMax: triesMost,
    waitMs: (attempt: number) => firstWaitMs * 2 ** attempt,
    isRetryable: (error: unknown) => error instanceof RequestRefused && error.type === early,
  }
  await sleep(systemClock, firstWaitMs)
  return retry(systemClock, options, work)
}
