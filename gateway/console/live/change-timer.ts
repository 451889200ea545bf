import type { Clock, Timer } from '../../../runtime/lib/clock.ts'
import { consoleLimits } from '../limits.ts'

/**
 * Calls back a moment after a change, once for several changes in quick succession, until it is
 * stopped.
 */
export class ChangeTimer {
  readonly #clock: Clock
  readonly #tell: () => void
  #timer: Timer | undefined
  #isStopped = false

  constructor(clock: Clock, tell: () => void) {
    this.#clock = clock
    this.#tell = tell
  }

  soon(waitMs: number = consoleLimits.feedGatherMs): void {
    if (this.#isStopped) return
    this.#timer ??= this.#clock.timer(waitMs, () => {
      this.#timer = undefined
      this.#tell()
    })
  }

  stop(): void {
    this.#isStopped = true
    this.#timer?.cancel()
  }
}
