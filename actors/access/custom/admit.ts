/**
 * Which messages custom access accepts: those of changes, for the version that they were proposed
 * for.
 */
import type { MessageOf } from '../../../proto/actor.ts'
import { customActor } from '../../../proto/access/changes/custom.ts'
import { admitCommand } from '../common/admit.ts'
import type { CustomSnapshot } from './view.ts'

export function admitCustom(
  snapshot: CustomSnapshot,
  message: MessageOf<typeof customActor>,
): void {
  admitCommand(customActor, snapshot, message)
}
