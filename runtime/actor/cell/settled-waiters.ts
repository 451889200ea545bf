/** Callers that wait until an actor has settled. */
import { ServiceError } from '../../../proto/errors.ts'
import type { Clock } from '../../lib/clock.ts'

export class SettledWaiters {
  readonly #clock: Clock
  #waiters: (() => void)[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Resolves after the next entry that leaves the actor settled; throws `timeout` at the deadline.
   */
  async until(isSettled: () => boolean, deadlineMs: number): Promise<void> {
    while (!isSettled()) {
      const leftMs = deadlineMs - this.#clock.now()
      if (leftMs <= 0) throw new ServiceError('timeout', 'The actor has not settled in time.')
      await this.#change(leftMs)
    }
  }

  /** Makes every waiting caller check the new state. */
  wake(): void {
    const waiters = this.#waiters
    this.#waiters = []
    for (const wake of waiters) wake()
  }

  #change(mostMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.timer(mostMs, resolve)
      this.#waiters.push(() => {
        timer.cancel()
        resolve()
      })
    })
  }
}
