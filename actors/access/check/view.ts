/** The public view of a checker. Its findings are in the record, for people who may read it. */
import type { SnapshotFrom } from 'xstate'
import type { CheckStatus, CheckView } from '../../../proto/access/jobs/check.ts'
import { stateView } from '../common/state.ts'
import type { checkMachine } from './machine.ts'

export type CheckSnapshot = SnapshotFrom<typeof checkMachine>

/** A check in progress is not shown, so that each check publishes one view instead of two. */
const statuses = { off: 'off', idle: 'on', checking: 'on', gone: 'gone' } as const satisfies Record<
  CheckSnapshot['value'],
  CheckStatus
>

export function checkView({ value, context }: CheckSnapshot): CheckView {
  const { area, recordId, intervalSeconds, nextCheckAtMs, endedAtMs } = context
  return {
    ...stateView(context),
    tenant: context.tenant,
    area,
    recordId,
    status: statuses[value],
    intervalSeconds,
    nextCheckAtMs,
    ...(endedAtMs !== null && { endedAtMs }),
  }
}
