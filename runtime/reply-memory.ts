import type { Reply } from '../proto/envelope.ts'

/**
 * The last few answers of an actor, so that a repeated request is answered, not done again. Refusals are not kept:
 * they follow from the state, which may have moved on.
 */
export class ReplyMemory {
  readonly #most: number
  readonly #replies = new Map<string, Promise<Reply>>()

  constructor(most: number) {
    this.#most = most
  }

  once(requestId: string, answer: () => Promise<Reply>): Promise<Reply> {
    const known = this.#replies.get(requestId)
    if (known) return known
    const reply = answer()
    this.#replies.set(requestId, reply)
    void reply.then(({ ok }) => ok || this.#replies.delete(requestId))
    if (this.#replies.size > this.#most) {
      const [oldest] = this.#replies.keys()
      this.#replies.delete(oldest!)
    }
    return reply
  }
}
