/**
 * What can be done with a webhook endpoint, for both surfaces: a tenant's key owns those of its
 * tenant, a person those of the grants that the person holds. Routes find out whose it is, and say
 * the rest with an `OwnEndpoint`.
 */
import type { z } from 'zod'
import type { MessageOf } from '../../proto/actor.ts'
import type { Author } from '../../proto/access/author.ts'
import { newAccessId } from '../../proto/access/ids.ts'
import type { Delivery, WebhookSurface } from '../../proto/access/webhooks/delivery.ts'
import type {
  endpointActor,
  EndpointView,
  recoveryBody,
  secretRotation,
} from '../../proto/access/webhooks/endpoint.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import type { Sealer } from '../../runtime/accounts/seal/seal.ts'
import { pingEventType } from '../../runtime/webhooks/events/registry.ts'
import { newEndpointSecret } from '../../runtime/webhooks/send/signing.ts'
import { checkTestType, periodOf } from './checks.ts'
import { endpointData } from './json.ts'

/** An endpoint that the caller owns. */
export interface OwnEndpoint {
  readonly view: EndpointView
  /** Who sends the commands. */
  readonly by: Author
  tell(message: MessageOf<typeof endpointActor>): Promise<EndpointView>
}

interface OperationDeps {
  readonly clock: Clock
  readonly sealer: Pick<Sealer, 'seal'>
}

/** A new secret, which is shown once; the old one also signs until its grace period ends. */
export async function rotateEndpointSecret(
  { clock, sealer }: OperationDeps,
  { view, by, tell }: OwnEndpoint,
  { grace_seconds: graceSeconds }: z.output<typeof secretRotation>,
) {
  const kind = view.secrets[0]?.kind ?? 'hmac'
  const { secret, text } = newEndpointSecret(view, kind, { sealer, nowMs: clock.now() })
  const changed = await tell({ type: 'rotate', secret, graceMs: graceSeconds * 1_000, by })
  return { data: { ...endpointData(changed), secret: text } }
}

/** Sends undelivered events of a period again. */
export async function recoverEndpoint(
  { clock }: Pick<OperationDeps, 'clock'>,
  { by, tell }: OwnEndpoint,
  period: z.output<typeof recoveryBody>,
) {
  const changed = await tell({ type: 'recover', by, ...periodOf(period, clock.now()) })
  return { data: endpointData(changed) }
}

/** Sends a ping, which verifies the endpoint if it is answered with 2xx. */
export const verifyEndpoint = (deps: Pick<OperationDeps, 'clock'>, own: OwnEndpoint) =>
  ping(deps, own, { purpose: 'verify', eventType: pingEventType })

/** Sends sample data of an event type, once. */
export function testEndpoint(
  deps: Pick<OperationDeps, 'clock'>,
  own: OwnEndpoint,
  { surface, eventType }: { readonly surface: WebhookSurface; readonly eventType: string },
) {
  checkTestType(surface, eventType)
  return ping(deps, own, { purpose: 'test', eventType })
}

async function ping(
  { clock }: Pick<OperationDeps, 'clock'>,
  { view, by, tell }: OwnEndpoint,
  what: { readonly purpose: 'verify' | 'test'; readonly eventType: string },
) {
  const deliveryId = newAccessId('delivery', clock.now())
  await tell({ type: 'ping', deliveryId, by, ...what })
  return { data: { delivery_id: deliveryId, endpoint_id: view.id } }
}

/** Sends the event of a delivery again, with the same `webhook-id`. */
export async function replayToEndpoint(
  { clock }: Pick<OperationDeps, 'clock'>,
  { view, by, tell }: OwnEndpoint,
  { id: sourceId }: Pick<Delivery, 'id'>,
) {
  const deliveryId = newAccessId('delivery', clock.now())
  await tell({ type: 'replay', sourceId, deliveryId, by })
  return { data: { delivery_id: deliveryId, endpoint_id: view.id } }
}
