/**
 * How full the store is. The reading from NATS is cached briefly, so that several metrics and
 * scrapers share it.
 */
import type { Clock } from '../../../runtime/lib/clock.ts'
import type { StreamUsage } from '../../../runtime/store/store.ts'
import { gatewayLimits } from '../../limits.ts'

export interface StoreReadingDeps {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly store: { usage(): Promise<readonly StreamUsage[]> }
}

export class StoreReadings {
  readonly #deps: StoreReadingDeps
  #reading: Promise<readonly StreamUsage[]> | undefined
  #freshUntilMs = 0

  constructor(deps: StoreReadingDeps) {
    this.#deps = deps
  }

  /** Empty while NATS does not answer, because the other metrics are then especially important. */
  read(): Promise<readonly StreamUsage[]> {
    const nowMs = this.#deps.clock.monotonic()
    if (!this.#reading || nowMs >= this.#freshUntilMs) {
      this.#freshUntilMs = nowMs + gatewayLimits.storeReadingKeptMs
      this.#reading = this.#deps.store.usage().catch(() => [])
    }
    return this.#reading
  }
}
