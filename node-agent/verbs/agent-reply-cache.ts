import { LRUCache } from 'lru-cache'
import { limits } from '../../proto/limits.ts'
import { ReplyCache } from '../../runtime/lib/reply-cache.ts'

/** Remembers answers, for callers that ask again because an answer was lost on the way. */
export class AgentReplyCache extends ReplyCache<Uint8Array> {
  /** Requests whose answers had to make room for others. */
  readonly #dropped: LRUCache<string, true>

  constructor() {
    const dropped = new LRUCache<string, true>({ max: limits.nodeAnswersDropped })
    super({
      maxSize: limits.nodeAnswersBytes,
      sizeCalculation: (answer) => answer.byteLength,
      dispose: (_, id) => void dropped.set(id, true),
    })
    this.#dropped = dropped
  }

  /** Whether the request was answered, though the answer is not known any more. */
  wasAnswered(id: string): boolean {
    return this.#dropped.has(id)
  }
}
