/** Lists deliveries, newest first, reading the store for each request. */
import { z } from 'zod'
import {
  deliveryStatuses,
  type Delivery,
  type DeliveryStatus,
  type WebhookSurface,
} from '../../proto/access/webhooks/delivery.ts'
import { isAccessId, type EndpointId } from '../../proto/access/ids.ts'
import { accessLimits } from '../../proto/access/limits.ts'
import { webhookLimits as limits } from '../../proto/access/webhooks/webhook-limits.ts'
import { ServiceError } from '../../proto/errors.ts'
import type { DeliveryStore } from '../../runtime/webhooks/delivery/store.ts'
import { deliveryData } from './json.ts'

export const deliveryFilters = {
  status: z.enum(deliveryStatuses).optional(),
  event_type: z.string().optional(),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(accessLimits.listRowsMost)
    .default(accessLimits.listRows),
  cursor: z.string().optional(),
}

interface Asked {
  readonly status?: DeliveryStatus | undefined
  readonly event_type?: string | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/** Selects deliveries. Without a tenant: those of all tenants of the surface. */
export interface DeliveriesOf {
  readonly surface: WebhookSurface
  readonly tenant: string | undefined
  readonly endpointId?: EndpointId | undefined
}

/**
 * Reads a bounded number of deliveries, so a page may be short or empty and still have a cursor.
 */
export async function listDeliveries(
  store: Pick<DeliveryStore, 'places' | 'read'>,
  { surface, tenant, endpointId }: DeliveriesOf,
  { status, event_type: type, limit, cursor }: Asked,
) {
  if (cursor !== undefined && !isAccessId('delivery', cursor)) {
    throw new ServiceError(
      'invalid_cursor',
      'This cursor does not belong to this list; omit it to start from the first page.',
    )
  }
  const all = await store.places(surface, tenant, endpointId)
  const rest = cursor === undefined ? all : all.filter(({ id }) => id < cursor)
  const scanned = rest.slice(0, limits.deliveriesScanned)
  const rows: Delivery[] = []
  let last: string | undefined
  for await (const delivery of store.read(scanned)) {
    const fits = (!status || delivery.status === status) && (!type || delivery.event.type === type)
    if (fits && rows.length === limit) {
      return { data: rows.map(deliveryData), page: { has_more: true, next_cursor: last ?? null } }
    }
    if (fits) rows.push(delivery)
    last = delivery.id
  }
  const more = rest.length > scanned.length
  const next = more ? (scanned.at(-1)?.id ?? null) : null
  return { data: rows.map(deliveryData), page: { has_more: more, next_cursor: next } }
}

/** Throws the same `not_found` for unknown deliveries and for another tenant's. */
export async function findDelivery(
  store: Pick<DeliveryStore, 'find' | 'get'>,
  { surface, tenant }: DeliveriesOf,
  id: string,
): Promise<Delivery> {
  const place = isAccessId('delivery', id) ? await store.find(surface, tenant, id) : undefined
  const held = place && (await store.get(place))
  if (held) return held.delivery
  throw new ServiceError('not_found', 'There is no delivery with this id.')
}
