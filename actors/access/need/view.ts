/** The public view of a need. */
import type { SnapshotFrom } from 'xstate'
import type { NeedView } from '../../../proto/access/engagement/need.ts'
import { stateView } from '../common/state.ts'
import type { needMachine } from './machine.ts'

export type NeedSnapshot = SnapshotFrom<typeof needMachine>

export function needView({ context, value }: NeedSnapshot): NeedView {
  const { extension, closedAtMs, closedReason } = context
  return {
    ...stateView(context),
    status: value,
    title: context.title,
    purpose: context.purpose,
    category: context.category,
    reference: context.reference,
    ownerId: context.ownerId,
    expectedEndAtMs: context.expectedEndAtMs,
    ...(extension && { extension }),
    ...(closedAtMs !== null && { closedAtMs }),
    ...(closedReason !== null && { closedReason }),
  }
}
