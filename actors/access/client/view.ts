/** The public view of a client. */
import type { SnapshotFrom } from 'xstate'
import type { ClientView } from '../../../proto/access/engagement/client.ts'
import { stateView } from '../common/state.ts'
import type { clientMachine } from './machine.ts'

export type ClientSnapshot = SnapshotFrom<typeof clientMachine>

export function clientView({ context, value }: ClientSnapshot): ClientView {
  const { activation, reason } = context
  return {
    ...stateView(context),
    status: value,
    name: context.name,
    slug: context.slug,
    contact: context.contact,
    timezone: context.timezone,
    locale: context.locale,
    ...(activation && { activation }),
    ...(reason !== null && { reason }),
  }
}
