/** How full the store is. Read from NATS for a scrape, so two figures and two scrapers share it. */
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

  /** Empty while NATS does not answer: a scrape must show the rest all the more then. */
  read(): Promise<readonly StreamUsage[]> {
    const nowMs = this.#deps.clock.monotonic()
    if (!this.#reading || nowMs >= this.#freshUntilMs) {
      this.#freshUntilMs = nowMs + gatewayLimits.storeReadingKeptMs
      this.#reading = this.#deps.store.usage().catch(() => [])
    }
    return this.#reading
  }
}
