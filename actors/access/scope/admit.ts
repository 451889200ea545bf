/** Which messages a scope accepts in its current state. Gateways check who may send them. */
import { scopeActor } from '../../../proto/access/engagement/scope.ts'
import type { MessageOf, MessageTo } from '../../../proto/actor.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { admitCommand, admitSecond } from '../common/admit.ts'
import { admitCitation } from '../common/citations.ts'
import { proposerIds, type ScopeContext } from './machine.ts'
import { proposalDigest } from './terms.ts'
import type { ScopeSnapshot } from './view.ts'

export function admitScope(
  snapshot: ScopeSnapshot,
  message: MessageOf<typeof scopeActor>,
  at: number,
): void {
  admitCommand(scopeActor, snapshot, message)
  const { context, value } = snapshot
  switch (message.type) {
    case 'cite':
      return admitCitation(context, message, at)
    case 'submit':
      if (value === 'active') admitResubmission(context)
      return
    case 'return':
      return admitWaiting(context)
    case 'confirm':
      admitWaiting(context)
      return admitConfirmation(context, message, at)
  }
}

function admitResubmission({ proposal }: ScopeContext): void {
  if (proposal && proposal.submitterId === null) return
  const why = proposal
    ? 'is already waiting for a confirmation'
    : 'has no proposal; revise it first'
  throw new ServiceError('conflict', `The scope ${why}.`)
}

function admitWaiting(context: ScopeContext): void {
  if (proposalDigest(context) !== null) return
  throw new ServiceError('conflict', 'No proposal of the scope is waiting for a confirmation.')
}

function admitConfirmation(
  context: ScopeContext,
  { by, digest }: MessageTo<typeof scopeActor, 'confirm'>,
  at: number,
): void {
  const { version, proposal } = context
  if (digest !== proposalDigest(context)) {
    const other = 'The proposal has changed since it was shown; read it again, then confirm it.'
    throw new ServiceError('precondition_failed', other, { version })
  }
  admitSecond(by, proposerIds(context), 'Confirming a scope')
  if (proposal && proposal.terms.effectiveToMs <= at) {
    throw new ServiceError(
      'conflict',
      'The effective_to of the proposal has passed; return it for revision.',
    )
  }
}
