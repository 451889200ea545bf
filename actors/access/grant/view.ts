/** The public view of a grant. It contains its tokens as hashes. */
import type { SnapshotFrom } from 'xstate'
import type { GrantView } from '../../../proto/access/grants/grant.ts'
import { stateView } from '../common/state.ts'
import type { grantMachine } from './machine.ts'

export type GrantSnapshot = SnapshotFrom<typeof grantMachine>

export function grantView({ value, context }: GrantSnapshot): GrantView {
  const { id, tenant, requestId, scopeId, needId, subject, path, permissions, cidrs } = context
  const { startsAtMs, endsAtMs, emergency, requestedBy, approvers, tokens } = context
  const { endedAt, endReason, reason, postReview, lastUsedAtMs, suspendedBy } = context
  return {
    ...stateView(context),
    ...{ id, tenant, requestId, scopeId, needId, subject, path, permissions, cidrs },
    ...{ startsAtMs, endsAtMs, emergency, requestedBy, approvers, tokens },
    status: value,
    ...(endedAt !== null && { endedAt }),
    ...(endReason !== null && { endReason }),
    ...(reason !== null && { reason }),
    ...(value === 'suspended' && suspendedBy && { suspendedBy }),
    ...(postReview !== null && { postReview }),
    ...(lastUsedAtMs !== null && { lastUsedAtMs }),
  }
}
