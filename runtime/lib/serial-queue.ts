/**
 * Runs work one after the other, in the order in which it was added; work that fails does not stop
 * the next. The queue has no bound of its own: those that add for others check `size` first.
 */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()
  #size = 0

  /** How much is running or waiting. Work that has settled for its caller no longer counts. */
  get size(): number {
    return this.#size
  }

  /** Settles with the work; a failure is its caller's alone. */
  run<T>(work: () => Promise<T> | T): Promise<T> {
    this.#size++
    const ended = this.#last.then(work)
    this.#last = ended.catch(() => undefined)
    // A promise of its own: a failure that the caller ignores is still reported as unhandled.
    return ended.finally(() => void this.#size--)
  }

  /** Resolves when all that was added so far has ended. */
  async settled(): Promise<void> {
    await this.#last
  }
}
