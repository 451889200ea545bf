/** The deadlines of one actor: wall-clock times in its state, and one timer for the earliest. */
import type { Clock, Timer } from '../../lib/clock.ts'

export class Deadlines {
  readonly #clock: Clock
  readonly #onDue: (name: string) => void
  /** Deadlines that have fired but are still in the state; they must not fire again. */
  readonly #fired = new Map<string, number>()
  #armed: Readonly<Record<string, number>> = {}
  #timer: Timer | undefined

  constructor(clock: Clock, onDue: (name: string) => void) {
    this.#clock = clock
    this.#onDue = onDue
  }

  /**
   * Replaces the armed deadlines. Those that have passed, even while the actor had no owner, fire
   * at once.
   */
  arm(deadlines: Readonly<Record<string, number>>): void {
    this.#armed = deadlines
    for (const [name, at] of this.#fired) {
      if (deadlines[name] !== at) this.#fired.delete(name)
    }
    this.#set()
  }

  stop(): void {
    this.#timer?.cancel()
    this.#armed = {}
  }

  #set(): void {
    this.#timer?.cancel()
    const waiting = Object.entries(this.#armed).filter(([name, at]) => this.#fired.get(name) !== at)
    if (waiting.length === 0) return
    const earliest = Math.min(...waiting.map(([, at]) => at))
    this.#timer = this.#clock.timer(earliest - this.#clock.now(), () => this.#fire())
  }

  #fire(): void {
    const now = this.#clock.now()
    const due = Object.entries(this.#armed)
      .filter(([name, at]) => at <= now && this.#fired.get(name) !== at)
      .sort(([, a], [, b]) => a - b)
    for (const [name, at] of due) this.#fired.set(name, at)
    this.#set()
    for (const [name] of due) this.#onDue(name)
  }
}
