/**
 * Runs work one after the other, in the order in which it was added; a failure does not stop the
 * following work. The queue has no limit of its own: callers that add untrusted work check `size`
 * first.
 */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()
  #size = 0

  /** Number of running and waiting items. Work whose promise has settled no longer counts. */
  get size(): number {
    return this.#size
  }

  /** Settles with the work; a failure is reported to its caller only. */
  run<T>(work: () => Promise<T> | T): Promise<T> {
    this.#size++
    const ended = this.#last.then(work)
    this.#last = ended.catch(() => undefined)
    // A separate promise, so that a failure that the caller ignores is still reported as unhandled.
    return ended.finally(() => void this.#size--)
  }

  /** Resolves when all work added so far has ended. */
  async settled(): Promise<void> {
    await this.#last
  }
}
