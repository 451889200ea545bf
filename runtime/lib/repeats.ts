/**
 * Passes on the first of several things that are alike, and after a while how many followed: for
 * what an attacker can cause without end.
 */
import type { Clock, Timer } from './clock.ts'

export interface RepeatsOptions<T> {
  readonly clock: Clock
  readonly everyMs: number
  /** Most keys told apart within `everyMs`; further ones share one key. */
  readonly keysMax: number
  /** `count` is absent for the first, and how many followed it for the summary. */
  write(item: T, count?: number): void
}

interface Repeated<T> {
  readonly item: T
  count: number
}

export class Repeats<T> {
  readonly #options: RepeatsOptions<T>
  readonly #known = new Map<string, Repeated<T>>()
  #timer: Timer | undefined

  constructor(options: RepeatsOptions<T>) {
    this.#options = options
  }

  /** `overflow` is the key in place of `key` where there are too many. */
  add(key: string, overflow: string, item: T): void {
    const { clock, everyMs, keysMax, write } = this.#options
    const own = this.#known.has(key) || this.#known.size < keysMax ? key : overflow
    this.#timer ??= clock.timer(everyMs, () => this.flush())
    const known = this.#known.get(own)
    if (known) {
      known.count++
    } else {
      this.#known.set(own, { item, count: 0 })
      write(item)
    }
  }

  /** Writes what was counted, and begins again. */
  flush(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    const known = [...this.#known.values()]
    this.#known.clear()
    for (const { item, count } of known) if (count > 0) this.#options.write(item, count)
  }
}
