/** The public view of an endpoint. It contains the secrets in sealed form. */
import type { SnapshotFrom } from 'xstate'
import type { EndpointView } from '../../../proto/access/webhooks/endpoint.ts'
import { stateView } from '../common/state.ts'
import type { endpointMachine } from './machine.ts'

export type EndpointSnapshot = SnapshotFrom<typeof endpointMachine>

export function endpointView({ context, value }: EndpointSnapshot): EndpointView {
  const { url, description, events, payload, ratePerSecond, grantId, needId, secrets } = context
  const { statusReason, reason, verifiedAtMs, lastSuccessAtMs, failingSinceMs } = context
  return {
    ...stateView(context),
    status: value,
    ...{ url, description, events, payload, ratePerSecond, grantId, needId, secrets },
    ...(statusReason !== null && { statusReason }),
    ...(reason !== null && { reason }),
    ...(verifiedAtMs !== null && { verifiedAtMs }),
    ...(lastSuccessAtMs !== null && { lastSuccessAtMs }),
    ...(failingSinceMs !== null && { failingSinceMs }),
    ...(context.endedAtMs !== null && { endedAtMs: context.endedAtMs }),
  }
}
