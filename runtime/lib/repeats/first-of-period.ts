/** Tells the first of repeated events within a period from the ones that follow it, by their key. */
import type { Clock } from '../clock.ts'

export class FirstOfPeriod {
  readonly #clock: Clock
  readonly #periodMs: number
  /** When each key was last first, in wall-clock ms; the oldest comes first. */
  readonly #since = new Map<string, number>()

  constructor(clock: Clock, periodMs: number) {
    this.#clock = clock
    this.#periodMs = periodMs
  }

  /** True if this key was not seen within the period before now; its period begins now. */
  isFirst(key: string): boolean {
    const now = this.#clock.now()
    this.#forgetBefore(now - this.#periodMs)
    if (this.#since.has(key)) return false
    this.#since.set(key, now)
    return true
  }

  #forgetBefore(ms: number): void {
    for (const [key, since] of this.#since) {
      if (since > ms) return
      this.#since.delete(key)
    }
  }
}
