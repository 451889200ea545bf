/** The public view of an access request. */
import type { SnapshotFrom } from 'xstate'
import type { RequestView } from '../../../proto/access/grants/request.ts'
import { stateView } from '../common/state.ts'
import type { requestMachine } from './machine.ts'

export type RequestSnapshot = SnapshotFrom<typeof requestMachine>

export function requestView({ value, context }: RequestSnapshot): RequestView {
  const { id, tenant, terms, shown, digest, policy, reviews, message, grantId } = context
  return {
    ...stateView(context),
    id,
    tenant,
    status: value,
    terms,
    requestedBy: context.createdBy,
    shown,
    digest,
    policy,
    reviews,
    ...(message !== null && { message }),
    ...(grantId !== null && value !== 'lapsed' && { grantId }),
  }
}
