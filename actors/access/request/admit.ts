/** Which messages a request accepts in its current state, and from whom. */
import type { MessageOf } from '../../../proto/actor.ts'
import type { ByAuthor } from '../../../proto/access/author.ts'
import { requestActor } from '../../../proto/access/grants/request.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { admitCommand } from '../common/admit.ts'
import { admitReview } from '../common/reviews.ts'
import { requestReviewSubject } from './machine.ts'
import type { RequestSnapshot } from './view.ts'

export function admitRequest(
  snapshot: RequestSnapshot,
  message: MessageOf<typeof requestActor>,
): void {
  admitCommand(requestActor, snapshot, message)
  switch (message.type) {
    case 'revise':
    case 'submit':
    case 'withdraw':
      return checkRequester(snapshot, message)
    case 'review':
      return admitReview(
        { ...snapshot.context, ...requestReviewSubject(snapshot.context) },
        message,
      )
  }
}

/** Only the requester may edit it; otherwise others could alter what they asked for. */
function checkRequester({ context: { createdBy } }: RequestSnapshot, { by }: ByAuthor): void {
  if (by.id === createdBy.id) return
  const message = 'Only the requester may change, submit or withdraw this request.'
  throw new ServiceError('forbidden', message)
}
