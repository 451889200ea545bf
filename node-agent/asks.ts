/**
 * What this agent was asked and what it answered, by the id of the question: one that is asked again
 * because its answer was lost on the way is answered again, and not done again.
 */
import { LRUCache } from 'lru-cache'
import { limits } from '../proto/limits.ts'

export class Asks {
  readonly #underWay = new Map<string, Promise<Uint8Array>>()
  readonly #answered = new LRUCache<string, Uint8Array>({
    maxSize: limits.nodeAnswersBytes,
    sizeCalculation: (answer) => answer.byteLength,
  })

  /** Undefined for a question that nothing is known of. */
  known(id: string): Promise<Uint8Array> | Uint8Array | undefined {
    return this.#underWay.get(id) ?? this.#answered.get(id)
  }

  async answer(id: string, work: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const answer = work()
    this.#underWay.set(id, answer)
    try {
      const bytes = await answer
      this.#answered.set(id, bytes)
      return bytes
    } finally {
      this.#underWay.delete(id)
    }
  }
}
