/**
 * Writes death certificates: a process that this supervisor saw ending is `dead` for all at once,
 * without waiting for its lease to expire.
 */
import type { Logger } from 'pino'
import type { Incarnation } from '../../../proto/ids.ts'
import { limits } from '../../../proto/limits.ts'
import { backoffMs, settleWithin, type Clock } from '../../lib/clock.ts'
import { retry, type RetryOptions } from '../../lib/retry.ts'
import { certifyDeath } from '../../cluster/membership.ts'
import { StoreUnavailable, type Bucket } from '../../store/store.ts'
import { processLimits } from '../limits.ts'

export interface CertifierOptions {
  readonly hosts: Bucket
  readonly by: string
  readonly clock: Clock
  readonly log: Logger
}

export class Certifier {
  readonly #options: CertifierOptions
  readonly #pending = new Set<Promise<void>>()
  readonly #closing = new AbortController()

  constructor(options: CertifierOptions) {
    this.#options = options
  }

  certify(incarnation: Incarnation): void {
    const certificate = this.#certify(incarnation)
    this.#pending.add(certificate)
    void certificate.finally(() => this.#pending.delete(certificate))
  }

  /**
   * Waits a moment for writes in progress; a missing certificate only means that the lease has to
   * expire.
   */
  async close(): Promise<void> {
    const { clock } = this.#options
    await settleWithin(clock, processLimits.certifyOnStopMs, Promise.all(this.#pending))
    this.#closing.abort()
  }

  async #certify(incarnation: Incarnation): Promise<void> {
    const { hosts, by, clock, log } = this.#options
    const { signal } = this.#closing
    const whileStoreIsDown: RetryOptions = {
      withinMs: processLimits.certifyForMs,
      waitMs: (attempt) => backoffMs(attempt, limits.natsRetryMs, limits.natsRetryMaxMs),
      isRetryable: (error) => error instanceof StoreUnavailable,
      signal,
    }
    try {
      await retry(clock, whileStoreIsDown, () => certifyDeath(hosts, incarnation, by))
    } catch (error) {
      if (signal.aborted) return
      log.warn({ err: error, incarnation }, 'no death certificate; its lease has to expire')
    }
  }
}
