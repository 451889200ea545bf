/**
 * Runs only so much work at once, and less of each owner. Owners with work that waits take turns, so
 * that one with much of it holds up no other. What waits is bounded by the callers.
 */
export interface FairSlotsBounds {
  readonly atOnce: number
  readonly atOncePerOwner: number
}

type Start = () => void

export class FairSlots {
  readonly #perOwner: number
  #free: number
  readonly #running = new Map<object, number>()
  /** The owner whose turn is next is first. */
  readonly #waiting = new Map<object, Set<Start>>()

  constructor({ atOnce, atOncePerOwner }: FairSlotsBounds) {
    this.#free = atOnce
    this.#perOwner = atOncePerOwner
  }

  /** Throws the signal's reason if it aborts before the work has begun. */
  async run<T>(owner: object, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#turn(owner, signal)
    try {
      return await work()
    } finally {
      this.#change(owner, -1)
      this.#startNext()
    }
  }

  #turn(owner: object, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error)
      const own = this.#waiting.get(owner) ?? new Set()
      const leave = () => {
        own.delete(start)
        if (own.size === 0) this.#waiting.delete(owner)
        reject(signal.reason as Error)
      }
      const start = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.set(owner, own.add(start))
      this.#startNext()
    })
  }

  #startNext(): void {
    // An owner that is put back comes once more, after all others.
    for (const [owner, own] of this.#waiting) {
      if (this.#free === 0) return
      if ((this.#running.get(owner) ?? 0) >= this.#perOwner) continue
      const [start] = own
      this.#waiting.delete(owner)
      if (start && own.delete(start)) {
        if (own.size > 0) this.#waiting.set(owner, own)
        this.#change(owner, 1)
        start()
      }
    }
  }

  #change(owner: object, by: 1 | -1): void {
    this.#free -= by
    const running = (this.#running.get(owner) ?? 0) + by
    if (running === 0) this.#running.delete(owner)
    else this.#running.set(owner, running)
  }
}
