/**
 * Work that is repeated at an interval, and sooner on request: one round at a time, and one more
 * after a round during which a request came.
 */
import type { Logger } from 'pino'
import type { Clock, Timer } from '../../lib/clock.ts'

export interface SweepOptions {
  readonly round: () => Promise<void>
  readonly everyMs: number
  readonly clock: Clock
  readonly log: Logger
}

export class Sweep {
  readonly #options: SweepOptions
  #timer: Timer | undefined
  #isSweeping = false
  #again = false
  #isStopped = false

  constructor(options: SweepOptions) {
    this.#options = options
  }

  soon(): void {
    if (this.#isStopped) return
    this.#timer?.cancel()
    this.#again = true
    if (!this.#isSweeping) void this.#sweep()
  }

  /** A round in progress is completed. */
  stop(): void {
    this.#isStopped = true
    this.#timer?.cancel()
  }

  async #sweep(): Promise<void> {
    const { round, everyMs, clock, log } = this.#options
    this.#isSweeping = true
    while (this.#again && !this.#isStopped) {
      this.#again = false
      try {
        await round()
      } catch (error) {
        log.error({ err: error }, 'sweep failed')
      }
    }
    this.#isSweeping = false
    if (!this.#isStopped) this.#timer = clock.timer(everyMs, () => this.soon())
  }
}
