/** Which messages a client accepts in its current state. Gateways check who may send them. */
import { clientActor } from '../../../proto/access/engagement/client.ts'
import type { MessageOf } from '../../../proto/actor.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { admitCommand, admitSecond } from '../common/admit.ts'
import { admitCitation } from '../common/citations.ts'
import { hasActiveScope } from './machine.ts'
import type { ClientSnapshot } from './view.ts'
import { admitWindow } from './windows.ts'

export function admitClient(
  snapshot: ClientSnapshot,
  message: MessageOf<typeof clientActor>,
  at: number,
): void {
  admitCommand(clientActor, snapshot, message)
  const { context } = snapshot
  switch (message.type) {
    case 'cite':
      return admitCitation(context, message, at)
    case 'book':
      return admitWindow(context, message, at)
    case 'activate':
      admitSecond(message.by, [context.createdBy.id], 'Activating a client')
      if (hasActiveScope(context)) return
      throw new ServiceError(
        'conflict',
        'The client has no service scope in force; have one confirmed, then activate the client.',
      )
  }
}
