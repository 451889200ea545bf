/**
 * Answers by request id, so that a repeated request gets its answer and is not done again. Requests
 * in progress are always known; of the finished ones, the most recent.
 */
import { LRUCache } from 'lru-cache'

type Bounds<T extends {}> = LRUCache.Options<string, T, unknown>

export class ReplyCache<T extends {}> {
  readonly #pending = new Map<string, Promise<T>>()
  readonly #kept: LRUCache<string, T>
  readonly #isKept: (answer: T) => boolean

  constructor(bounds: Bounds<T>, isKept: (answer: T) => boolean = () => true) {
    this.#kept = new LRUCache(bounds)
    this.#isKept = isKept
  }

  /** Undefined if the request is unknown. */
  known(id: string): Promise<T> | T | undefined {
    return this.#kept.get(id) ?? this.#pending.get(id)
  }

  async once(id: string, work: () => Promise<T>): Promise<T> {
    const known = this.known(id)
    if (known) return known
    const pending = work()
    this.#pending.set(id, pending)
    try {
      const answer = await pending
      if (this.#isKept(answer)) this.#kept.set(id, answer)
      return answer
    } finally {
      this.#pending.delete(id)
    }
  }
}
