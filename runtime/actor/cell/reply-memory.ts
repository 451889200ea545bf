import type { PlaceReply } from '../../../proto/envelope.ts'
import { ReplyCache } from '../../lib/reply-cache.ts'

/**
 * The last answers of an actor. Refusals are not kept: they depend on the state, which may have
 * changed.
 */
export class ReplyMemory extends ReplyCache<PlaceReply> {
  constructor(most: number) {
    super({ max: most }, (reply) => 'ok' in reply && reply.ok)
  }
}
