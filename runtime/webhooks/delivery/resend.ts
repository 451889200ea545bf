/** Sends an event again, whether or not it was delivered, with the same `webhook-id`. */
import {
  isDeliveryOpen,
  isSentOnce,
  type Delivery,
  type DeliveryTrigger,
} from '../../../proto/access/webhooks/delivery.ts'
import type { EndpointView } from '../../../proto/access/webhooks/endpoint.ts'
import type { DeliveryId } from '../../../proto/access/ids.ts'
import { webhookLimits as limits } from '../../../proto/access/webhooks/webhook-limits.ts'
import { deliveryIdOf, newDelivery, webhookSurfaceOf } from './make.ts'
import type { DeliveryStore } from './store.ts'

type Owner = Pick<EndpointView, 'id' | 'tenant' | 'grantId'>

interface Replay {
  readonly sourceId: DeliveryId
  readonly deliveryId: DeliveryId
  readonly atMs: number
}

/** A delivery that is no longer stored cannot be sent. */
export async function replayDelivery(
  deliveries: DeliveryStore,
  endpoint: Owner,
  { sourceId, deliveryId: id, atMs }: Replay,
): Promise<void> {
  const { tenant, id: endpointId } = endpoint
  const surface = webhookSurfaceOf(endpoint)
  const source = await deliveries.get({ surface, tenant, endpointId, id: sourceId })
  if (source) await deliveries.create(resendOf(endpoint, source.delivery, { id, atMs }, 'manual'))
}

interface Period {
  readonly sinceMs: number
  readonly untilMs: number
  readonly atMs: number
}

/** Events of the period that were not delivered and are not being sent, oldest first. */
export async function recoverDeliveries(
  deliveries: DeliveryStore,
  endpoint: Owner,
  { sinceMs, untilMs, atMs }: Period,
  signal: AbortSignal,
): Promise<void> {
  const missed = new Map<string, Delivery>()
  const settled = new Set<string>()
  const places = await deliveries.places(webhookSurfaceOf(endpoint), endpoint.tenant, endpoint.id)
  for await (const delivery of deliveries.read(places)) {
    const { event, status } = delivery
    if (signal.aborted) return
    if (isSentOnce(delivery)) continue
    if (status === 'delivered' || isDeliveryOpen(delivery)) settled.add(event.id)
    else if (event.atMs >= sinceMs && event.atMs < untilMs) missed.set(event.id, delivery)
  }
  const found = [...missed.values()].filter(({ event }) => !settled.has(event.id))
  found.sort((a, b) => a.event.atMs - b.event.atMs)
  for (const delivery of found.slice(0, limits.recoveredMost)) {
    if (signal.aborted) return
    // A later recovery creates another delivery; a repeat of this one does not.
    const id = deliveryIdOf(`${delivery.event.id} ${atMs}`, endpoint.id, atMs)
    await deliveries.create(resendOf(endpoint, delivery, { id, atMs }, 'recover'))
  }
}

const resendOf = (
  endpoint: Owner,
  { event }: Delivery,
  { id, atMs }: { readonly id: DeliveryId; readonly atMs: number },
  trigger: DeliveryTrigger,
): Delivery => newDelivery(endpoint, { id, event, trigger, nowMs: atMs })
