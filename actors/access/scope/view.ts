/** The public view of a scope. */
import type { SnapshotFrom } from 'xstate'
import type { ScopeView } from '../../../proto/access/engagement/scope.ts'
import { stateView } from '../common/state.ts'
import { proposerIds, type scopeMachine } from './machine.ts'
import { proposalDigest } from './terms.ts'

export type ScopeSnapshot = SnapshotFrom<typeof scopeMachine>

export function scopeView({ context, value }: ScopeSnapshot): ScopeView {
  const { current, proposal, proposals, confirmations, reason } = context
  return {
    ...stateView(context),
    status: value,
    current,
    proposal: proposal?.terms ?? null,
    ...(proposal && { proposedBy: proposerIds(context) }),
    proposalNumber: proposals,
    digest: proposalDigest(context),
    ...(reason !== null && { reason }),
    confirmations,
  }
}
