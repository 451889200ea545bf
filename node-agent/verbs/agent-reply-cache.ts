import { limits } from '../../proto/limits.ts'
import { ReplyCache } from '../../runtime/lib/reply-cache.ts'

/** Remembers answers, for callers that ask again because an answer was lost on the way. */
export class AgentReplyCache extends ReplyCache<Uint8Array> {
  constructor() {
    super({
      maxSize: limits.nodeAnswersBytes,
      sizeCalculation: (answer) => answer.byteLength,
    })
  }
}
