/**
 * How full the store is. The reading from NATS is cached briefly, so that several metrics and
 * scrapers share it.
 */
import type { Clock } from '../../../runtime/lib/clock.ts'
import { isFull, type StreamUsage } from '../../../runtime/store/store.ts'
import { gatewayLimits } from '../../limits.ts'

export interface StoreReadingDeps {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly store: { usage(): Promise<readonly StreamUsage[]> }
}

export class StoreReadings {
  readonly #deps: StoreReadingDeps
  #reading: Promise<readonly StreamUsage[]> | undefined
  #last: readonly StreamUsage[] = []
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
      void this.#reading.then((usage) => (this.#last = usage))
    }
    return this.#reading
  }

  /**
   * The full streams of the last reading, without waiting for NATS; another reading is begun if
   * it is not fresh.
   */
  full(): readonly string[] {
    void this.read()
    return this.#last.filter(isFull).map(({ stream }) => stream)
  }
}
