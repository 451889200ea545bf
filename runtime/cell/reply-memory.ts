import type { PlaceReply } from '../../proto/envelope.ts'
import { Answers } from '../answers.ts'

/**
 * The last answers of an actor. Refusals are not kept: they depend on the state, which may have
 * changed.
 */
export class ReplyMemory extends Answers<PlaceReply> {
  constructor(most: number) {
    super({ max: most }, (reply) => 'ok' in reply && reply.ok)
  }
}
