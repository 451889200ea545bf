import { LRUCache } from 'lru-cache'
import type { Reply } from '../../proto/envelope.ts'

/**
 * The last few answers of an actor, so that a repeated request is answered, not done again; one
 * that is still being worked on is known however many there are. Refusals are not kept: they follow
 * from the state, which may have moved on.
 */
export class ReplyMemory {
  readonly #pending = new Map<string, Promise<Reply>>()
  readonly #answered: LRUCache<string, Reply>

  constructor(most: number) {
    this.#answered = new LRUCache({ max: most })
  }

  async once(requestId: string, answer: () => Promise<Reply>): Promise<Reply> {
    const known = this.#answered.get(requestId) ?? this.#pending.get(requestId)
    if (known) return known
    const pending = answer()
    this.#pending.set(requestId, pending)
    const reply = await pending
    this.#pending.delete(requestId)
    if (reply.ok) this.#answered.set(requestId, reply)
    return reply
  }
}
