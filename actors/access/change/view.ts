/** The public view of a change. */
import { defined } from '../../../proto/defined.ts'
import type { SnapshotFrom } from 'xstate'
import type { ChangeView } from '../../../proto/access/changes/change.ts'
import { stateView } from '../common/state.ts'
import type { changeMachine } from './machine.ts'

export type ChangeSnapshot = SnapshotFrom<typeof changeMachine>

export function changeView({ value, context }: ChangeSnapshot): ChangeView {
  const { id, tenant, terms, shown, digest, policy, reviews, window, implementer } = context
  const { startedAtMs, isLate, result, applied, conflict, postReview, message, history } = context
  return {
    ...stateView(context),
    ...{ id, tenant, status: value, terms, proposedBy: context.createdBy },
    ...{ shown, digest, policy, reviews },
    ...defined({ startedAtMs }),
    ...{ window, implementer, isLate, result, applied, conflict, postReview, message },
    history: history ?? [],
  }
}
