/** New deliveries. Their ids are derived from their event, so creating one twice has no effect. */
import { createHash } from 'node:crypto'
import type {
  Delivery,
  DeliveryReason,
  DeliveryTrigger,
  WebhookEvent,
  WebhookSurface,
} from '../../../proto/access/webhooks/delivery.ts'
import type { EndpointView } from '../../../proto/access/webhooks/endpoint.ts'
import type { DeliveryId } from '../../../proto/access/ids.ts'
import { idAt, idLike } from '../../../proto/ids.ts'

type Owner = Pick<EndpointView, 'id' | 'tenant' | 'grantId'>

export const webhookSurfaceOf = ({ grantId }: Pick<Owner, 'grantId'>): WebhookSurface =>
  grantId === null ? 'service' : 'access'

const digest = (text: string) => createHash('sha256').update(text).digest()

/** `source` names the message that reports the event: its stream, its number, its time. */
export const eventIdOf = (source: string, type: string, atMs: number) =>
  idAt('evt', atMs, digest(`${source} ${type}`))

export const deliveryIdOf = (eventId: string, endpointId: string, nowMs: number): DeliveryId =>
  idAt('dlv', nowMs, digest(`${eventId} ${endpointId}`))

interface Order {
  readonly id: DeliveryId
  readonly event: WebhookEvent
  readonly trigger: DeliveryTrigger
  readonly nowMs: number
  /** Stored, but not sent unless it is requested. */
  readonly held?: DeliveryReason
}

export function newDelivery(endpoint: Owner, { id, event, trigger, nowMs, held }: Order): Delivery {
  const common = {
    ...{ v: 1 as const, id, surface: webhookSurfaceOf(endpoint), tenant: endpoint.tenant },
    ...{ endpointId: endpoint.id, event, trigger, attempt: 0, attempts: [], createdAtMs: nowMs },
  }
  if (held === undefined) return { ...common, status: 'pending', nextAttemptAtMs: nowMs }
  const status = held === 'backlog_full' ? 'exhausted' : 'cancelled'
  return { ...common, status, reason: held, completedAtMs: nowMs }
}

interface Ping {
  readonly purpose: 'verify' | 'test'
  readonly deliveryId: DeliveryId
  readonly eventType: string
  readonly atMs: number
}

/** An event about the endpoint itself, with any event type for a test. */
export function pingDelivery(
  endpoint: Owner & Pick<EndpointView, 'version'>,
  { purpose: trigger, deliveryId: id, eventType: type, atMs }: Ping,
): Delivery {
  const object = { kind: 'webhook_endpoint', id: endpoint.id }
  const more = trigger === 'test' ? { more: { test: 'true' } } : {}
  const event = { id: idLike('evt', id), type, atMs, object, ...more }
  const delivery = newDelivery(endpoint, { id, event, trigger, nowMs: atMs })
  return { ...delivery, endpointVersion: endpoint.version }
}
