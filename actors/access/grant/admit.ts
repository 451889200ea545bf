/** Which messages a grant accepts in its current state, and from whom. */
import type { MessageOf } from '../../../proto/actor.ts'
import { hasRole, type Author } from '../../../proto/access/author.ts'
import { grantActor } from '../../../proto/access/grants/grant.ts'
import {
  isGrantParty,
  maySuspendToo,
  resumeRefusal,
} from '../../../proto/access/grants/suspension.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { admitCommand } from '../common/admit.ts'
import type { GrantContext } from './machine.ts'
import { participatedInGrant } from './parties.ts'
import { checkMint, checkRotation, tokenOf } from './tokens.ts'
import type { GrantSnapshot } from './view.ts'

/** Accepted in every state: the end of a dependency, and reports of use, which may be late. */
const always: readonly string[] = ['end', 'used']

export function admitGrant(
  snapshot: GrantSnapshot,
  message: MessageOf<typeof grantActor>,
  at: number,
): void {
  if (always.includes(message.type)) return
  const { context } = snapshot
  admitCommand(grantActor, snapshot, message, notNow(snapshot, message))
  switch (message.type) {
    case 'revoke':
      return checkRevoker(context, message.by)
    case 'resume':
      return checkResumer(context, message.by)
    case 'post_review':
      return checkPostReviewer(context, message.by)
    case 'mint':
      return checkMint(context, message, at)
    case 'rotate':
      return checkRotation(context, message, at)
    case 'revoke_token':
      return void tokenOf(context, message.tokenId)
  }
}

/** Verbs that the state allows but this grant does not accept. */
function notNow(
  { context, value }: GrantSnapshot,
  message: MessageOf<typeof grantActor>,
): readonly string[] {
  const isReviewDue = context.postReview?.status === 'due'
  const adds = message.type === 'suspend' && maySuspendToo(context, message.by)
  return [
    ...(isReviewDue ? [] : ['post_review']),
    ...(value === 'suspended' && !adds ? ['suspend'] : []),
  ]
}

const isStaffReviewer = (by: Author): boolean => by.kind === 'staff' && hasRole(by, 'reviewer')
const isOwner = (by: Author): boolean => by.kind === 'member' && hasRole(by, 'owner')

/**
 * The subject, the requester, and people who are responsible for the client's access may revoke.
 */
function checkRevoker(grant: GrantContext, by: Author): void {
  const isClientManager = by.kind === 'staff' && hasRole(by, 'admin', 'reviewer')
  if (by.kind === 'system' || isGrantParty(grant, by) || isClientManager || isOwner(by)) return
  const message =
    'Only its subject, its requester, an owner of the client, or a staff admin or reviewer can ' +
    'revoke a grant; ask one of them.'
  throw new ServiceError('forbidden', message)
}

function checkResumer(grant: GrantContext, by: Author): void {
  const refusal = resumeRefusal(grant, by)
  if (refusal) throw refusal
}

function checkPostReviewer(grant: GrantContext, by: Author): void {
  if (by.singleOperator) return
  if (participatedInGrant(grant, by)) throw selfReviewError()
  if (isStaffReviewer(by) || isOwner(by)) return
  const message = 'Only a reviewer or an owner of the client can make this decision; ask one.'
  throw new ServiceError('not_a_reviewer', message)
}

function selfReviewError(): ServiceError {
  const message = 'You are a party to this access; another person must decide on it.'
  return new ServiceError('self_review', message)
}
