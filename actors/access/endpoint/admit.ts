/** Which messages an endpoint accepts in its current state. Gateways check who may send them. */
import { endpointActor } from '../../../proto/access/webhooks/endpoint.ts'
import type { MessageOf } from '../../../proto/actor.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { admitCommand } from '../common/admit.ts'
import { admitPing } from './pings.ts'
import type { EndpointSnapshot } from './view.ts'

/** Reports of workers may be late; then they change nothing. */
const always: readonly string[] = [
  'verified',
  'delivery_succeeded',
  'delivery_failed',
  'gone',
  'grant_ended',
  'resealed',
]

export function admitEndpoint(
  snapshot: EndpointSnapshot,
  message: MessageOf<typeof endpointActor>,
  at: number,
): void {
  if (always.includes(message.type)) return
  const { context, value } = snapshot
  if (value === 'removed') throw new ServiceError('not_found', 'The endpoint was removed.')
  const isOver = context.statusReason === 'grant_ended'
  if (isOver && message.type === 'enable') {
    const text = 'The grant of this endpoint has ended; create an endpoint with another grant.'
    throw new ServiceError('invalid_transition', text, { status: value, allowed: ['remove'] })
  }
  admitCommand(endpointActor, snapshot, message)
  if (message.type !== 'ping') return
  if (message.purpose === 'test' && value !== 'active') {
    const text = 'The endpoint is not active: verify it first (POST …/verify).'
    throw new ServiceError('invalid_transition', text, { status: value, allowed: ['verify'] })
  }
  admitPing(context.pings, at)
}
