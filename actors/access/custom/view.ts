/** The public view of custom access. */
import type { SnapshotFrom } from 'xstate'
import type { CustomView } from '../../../proto/access/changes/custom.ts'
import { stateView } from '../common/state.ts'
import type { customMachine } from './machine.ts'

export type CustomSnapshot = SnapshotFrom<typeof customMachine>

export const customView = ({ value, context }: CustomSnapshot): CustomView => ({
  ...stateView(context),
  status: value,
  definition: context.definition,
  changes: context.changes,
})
