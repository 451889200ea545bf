/** What a process needs before it is ready: a store that is slow or away delays it, and does not end it. */
import type { Logger } from 'pino'
import { limits } from '../../proto/limits.ts'
import { backoffMs, type Clock } from '../lib/clock.ts'
import { retry, type RetryOptions } from '../lib/retry.ts'
import { storeLimits } from './limits.ts'
import { StoreUnavailable } from './store.ts'

/** Repeats `work` while the store does not answer, and says so; `what` is being read by it. */
export function awaitStore<T>(
  { clock, log }: { readonly clock: Clock; readonly log: Logger | undefined },
  what: string,
  work: () => Promise<T>,
): Promise<T> {
  const whileSilent: RetryOptions = {
    withinMs: storeLimits.storeAnswersMs,
    waitMs: (attempt) => backoffMs(attempt, limits.natsRetryMs, limits.natsRetryMaxMs),
    isRetryable: (error) => error instanceof StoreUnavailable,
    onRetry(error, attempt) {
      if (attempt > 1) return
      log?.warn({ err: error }, `the start waits for ${what}: the store does not answer in time`)
    },
  }
  return retry(clock, whileSilent, work)
}
