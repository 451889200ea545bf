/** Which messages custom access takes: those of changes, on the version that they are about. */
import type { MessageOf } from '../../../proto/actor.ts'
import { customActor } from '../../../proto/access/custom.ts'
import { admitCommand } from '../common/admit.ts'
import type { CustomSnapshot } from './view.ts'

export function admit(snapshot: CustomSnapshot, message: MessageOf<typeof customActor>): void {
  admitCommand(customActor, snapshot, message)
}
