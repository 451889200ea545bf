/** What others may know of a checker. What it found is in the record, for those who may read it. */
import type { SnapshotFrom } from 'xstate'
import type { CheckStatus, CheckView } from '../../../proto/access/check.ts'
import { stateView } from '../common/state.ts'
import type { checkMachine } from './machine.ts'

export type CheckSnapshot = SnapshotFrom<typeof checkMachine>

/** A check under way is not shown, so that it makes one view and not two. */
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
