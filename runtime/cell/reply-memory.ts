import type { PlaceReply } from '../../proto/envelope.ts'
import { Answers } from '../answers.ts'

/**
 * The last few answers of an actor. Refusals are not kept: they follow from the state, which may
 * have moved on.
 */
export class ReplyMemory extends Answers<PlaceReply> {
  constructor(most: number) {
    super({ max: most }, (reply) => 'ok' in reply && reply.ok)
  }
}
