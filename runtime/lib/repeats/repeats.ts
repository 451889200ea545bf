/**
 * Writes the first of several equal items, and after `everyMs` the number of the others: for events
 * that an attacker can cause without limit.
 */
import type { Clock, Timer } from '../clock.ts'

export interface RepeatsOptions<T> {
  readonly clock: Clock
  readonly everyMs: number
  /** Maximum number of different keys within `everyMs`; further ones share one key. */
  readonly keysMax: number
  /** `count`: absent for the first item; in the summary, the number of items that followed it. */
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

  /** `overflow` replaces `key` if there are too many different keys. */
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

  /** Writes the counts, and starts over. */
  flush(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    const known = [...this.#known.values()]
    this.#known.clear()
    for (const { item, count } of known) if (count > 0) this.#options.write(item, count)
  }
}
