/** Which messages a need accepts in its current state. Gateways check who may send them. */
import { needActor } from '../../../proto/access/engagement/need.ts'
import { hasRole, type Author } from '../../../proto/access/author.ts'
import type { MessageOf } from '../../../proto/actor.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { admitCommand, admitSecond } from '../common/admit.ts'
import { admitCitation } from '../common/citations.ts'
import type { NeedSnapshot } from './view.ts'

export function admitNeed(
  snapshot: NeedSnapshot,
  message: MessageOf<typeof needActor>,
  at: number,
): void {
  admitCommand(needActor, snapshot, message)
  const { context } = snapshot
  switch (message.type) {
    case 'cite':
      return admitCitation(context, message, at)
    case 'update':
    case 'close':
      return checkMayManage(context, message.by)
    case 'extend':
      if (message.expectedEndAtMs <= at) {
        const late = 'expected_end_at must be in the future.'
        throw new ServiceError('validation_failed', late, { pointers: ['/expected_end_at'] })
      }
      return admitSecond(message.by, [context.ownerId], 'Extending a need')
  }
}

/** An operator manages the needs that they own or created; other roles manage all. */
function checkMayManage({ ownerId, createdBy }: NeedSnapshot['context'], by: Author): void {
  if (by.kind !== 'staff' || by.id === ownerId || by.id === createdBy.id) return
  if (hasRole(by, 'admin', 'reviewer', 'change_manager')) return
  const message =
    'This need belongs to another person; ask its owner, an admin, a reviewer or a change manager.'
  throw new ServiceError('forbidden', message)
}
