/** Statistics of an endpoint's newest deliveries, computed for each request. */
import { z } from 'zod'
import { isDeliveryOpen, isSentOnce, type Delivery } from '../../proto/access/webhooks/delivery.ts'
import type { EndpointView } from '../../proto/access/webhooks/endpoint.ts'
import { webhookLimits as limits } from '../../proto/access/webhooks/webhook-limits.ts'
import type { DeliveryStore } from '../../runtime/webhooks/delivery/store.ts'
import { isoTime, timeJson } from '../routing/schemas/access-json.ts'
import { deliveryData, deliveryJson } from './json.ts'

const most = limits.deliveriesOfHealth

export const healthJson = z.object({
  endpoint_id: z.string(),
  deliveries: z
    .int()
    .describe(`Number of counted deliveries: the newest ${most}, without pings and tests.`),
  has_more: z.boolean().describe('Whether there are older deliveries, which are not counted.'),
  delivered: z.int(),
  waiting: z.int(),
  given_up: z.int(),
  cancelled: z.int(),
  attempts: z.int(),
  failed_attempts: z.int(),
  oldest_waiting_at: timeJson.optional(),
  last_delivery: deliveryJson.optional(),
})
export type EndpointHealth = z.output<typeof healthJson>

export async function endpointHealth(
  store: Pick<DeliveryStore, 'places' | 'read'>,
  { id, tenant }: Pick<EndpointView, 'id' | 'tenant'>,
): Promise<EndpointHealth> {
  const places = await store.places('access', tenant, id)
  const newestFirst: Delivery[] = []
  for await (const delivery of store.read(places.slice(0, most))) newestFirst.push(delivery)
  const [last] = newestFirst
  const found = newestFirst.filter((delivery) => !isSentOnce(delivery))
  const count = (status: Delivery['status']) => found.filter((one) => one.status === status).length
  const waiting = found.filter(isDeliveryOpen)
  const oldest = waiting.at(-1)
  const attempts = found.flatMap((delivery) => delivery.attempts)
  return {
    endpoint_id: id,
    deliveries: found.length,
    has_more: places.length > most,
    delivered: count('delivered'),
    waiting: waiting.length,
    given_up: count('exhausted'),
    cancelled: count('cancelled'),
    attempts: attempts.length,
    failed_attempts: attempts.filter(({ error }) => error !== undefined).length,
    ...(oldest && { oldest_waiting_at: isoTime(oldest.createdAtMs) }),
    ...(last && { last_delivery: deliveryData(last) }),
  }
}
