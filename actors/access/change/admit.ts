/** Which messages a change accepts in its current state, when, and from whom. */
import type { MessageOf } from '../../../proto/actor.ts'
import { hasRole, type Author } from '../../../proto/access/author.ts'
import { changeActor } from '../../../proto/access/changes/change.ts'
import type { ChangeWindow } from '../../../proto/access/changes/change-terms.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { admitCommand, admitSecond } from '../common/admit.ts'
import { admitReview } from '../common/reviews.ts'
import { participatedInChange, barredFromImplementing, changeReviewSubject } from './parties.ts'
import type { ChangeSnapshot } from './view.ts'
import type { ChangeContext } from './context.ts'

export function admitChange(
  snapshot: ChangeSnapshot,
  message: MessageOf<typeof changeActor>,
  at: number,
): void {
  const { context } = snapshot
  const isReviewDue = context.postReview?.status === 'due'
  admitCommand(changeActor, snapshot, message, isReviewDue ? [] : ['post_review'])
  switch (message.type) {
    case 'revise':
    case 'propose':
      return checkProposer(context, message.by)
    case 'review':
      return admitReview({ ...context, ...changeReviewSubject(context) }, message)
    case 'schedule':
      return checkWindow(context, message.window ?? context.terms.window, at)
    case 'start':
      return checkStart(context, message.by, at)
    case 'complete':
      return checkImplementer(context, message.by, [])
    case 'fail':
    case 'roll_back':
      return checkImplementer(context, message.by, ['change_manager'])
    case 'cancel':
      return checkCanceller(context, message.by)
    case 'post_review':
      return checkPostReviewer(context, message.by)
  }
}

/** Only the proposer may edit it; otherwise others could alter what they proposed. */
function checkProposer({ createdBy }: ChangeContext, by: Author): void {
  if (by.id === createdBy.id) return
  throw new ServiceError('forbidden', 'Only the author of this change may revise or propose it.')
}

function checkWindow({ terms }: ChangeContext, window: ChangeWindow | undefined, at: number): void {
  const refuse = (message: string) => {
    throw new ServiceError('validation_failed', message, { pointers: ['/window'] })
  }
  if (!window) return refuse('Send a window: the change has none.')
  if (window.endMs <= at) refuse('This window has passed; choose one in the future.')
  if (terms.type === 'emergency' || window.startMs >= at - limits.changeWindowSlackMs) return
  refuse('This window has started already; choose one in the future.')
}

function checkStart(change: ChangeContext, by: Author, at: number): void {
  const { window, terms } = change
  admitSecond(
    by,
    barredFromImplementing(change),
    'Implementing a change that you approved or proposed',
  )
  if (terms.implementerId !== undefined && terms.implementerId !== by.id && !by.singleOperator) {
    const message = `Only ${terms.implementerId} may implement this change; ask them, or propose a new change.`
    throw new ServiceError('forbidden', message)
  }
  if (!window || (window.startMs <= at && at <= window.endMs)) return
  const iso = (ms: number) => new Date(ms).toISOString()
  const message = `Its window is from ${iso(window.startMs)} to ${iso(window.endMs)}; start it then, or schedule it again.`
  throw new ServiceError('conflict', message)
}

function checkImplementer(
  { implementer }: ChangeContext,
  by: Author,
  roles: readonly 'change_manager'[],
): void {
  if (implementer?.id === by.id || hasRole(by, ...roles)) return
  // A failed change has no implementer any more; anyone who may implement changes may report its
  // outcome.
  if (!implementer && by.kind === 'staff' && hasRole(by, 'operator', 'change_manager')) return
  throw new ServiceError('forbidden', 'Only the implementer of the change may do this; ask them.')
}

function checkCanceller({ createdBy }: ChangeContext, by: Author): void {
  if (by.id === createdBy.id || hasRole(by, 'change_manager', 'owner')) return
  const message =
    'Only its proposer, a change manager or an owner of the client can cancel a change; ask one.'
  throw new ServiceError('forbidden', message)
}

function checkPostReviewer(change: ChangeContext, by: Author): void {
  if (by.singleOperator) return
  if (participatedInChange(change, by)) {
    const message = 'You are a party to this change; another person must review it.'
    throw new ServiceError('self_review', message)
  }
  if (hasRole(by, 'change_manager', 'owner')) return
  const message = 'Only a change manager or an owner of the client can do this; ask one.'
  throw new ServiceError('not_a_reviewer', message)
}
