/**
 * What was answered to questions, by their ids, so that one that is repeated is answered, not done
 * again. One that is still being worked on is known however many there are; of the others, the last
 * few.
 */
import { LRUCache } from 'lru-cache'

type Bounds<T extends {}> = LRUCache.Options<string, T, unknown>

export class Answers<T extends {}> {
  readonly #pending = new Map<string, Promise<T>>()
  readonly #kept: LRUCache<string, T>
  readonly #isKept: (answer: T) => boolean

  constructor(bounds: Bounds<T>, isKept: (answer: T) => boolean = () => true) {
    this.#kept = new LRUCache(bounds)
    this.#isKept = isKept
  }

  /** Undefined for a question that nothing is known of. */
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
