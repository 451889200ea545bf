/** Deliveries to the webhooks of a tenant: tests, the log, and replaying one. */
import { z } from 'zod'
import { endpointTest, recoveryBody } from '../../proto/access/webhooks/endpoint.ts'
import { newAccessId } from '../../proto/access/ids.ts'
import { pingEventType } from '../../runtime/webhooks/events/registry.ts'
import { dataJson, pageJson } from '../routing/schemas/access-json.ts'
import type { Principal } from '../routing/auth/auth.ts'
import { jsonRoute, type Route } from '../routing/route.ts'
import { checkTestType, periodOf } from './checks.ts'
import { deliveryFilters, findDelivery, listDeliveries } from './delivery-list.ts'
import { deliveryData, deliveryJson, endpointData, endpointJson, onItsWayJson } from './json.ts'
import {
  askEndpoint,
  byKey,
  findEndpoint,
  hookPath as path,
  hookSurface as surface,
  ofHook,
  type HookRouteDeps,
} from './own-endpoints.ts'

const ofDelivery = z.object({ id: z.string(), delivery_id: z.string() })
const sent = { auth: 'key', scope: 'sessions', status: 202, response: onItsWayJson } as const

export function hookDeliveryRoutes(deps: HookRouteDeps): readonly Route[] {
  return [recoveryRoute(deps), ...pingRoutes(deps), ...logRoutes(deps), replayRoute(deps)]
}

function recoveryRoute(deps: HookRouteDeps): Route {
  return jsonRoute({
    method: 'POST',
    path: `${path}/{id}/recover`,
    summary: 'Resend undelivered events of a period of at most 7 days.',
    description:
      'Use it after your receiver was down. Each message keeps its original `webhook-id`.',
    auth: 'key',
    scope: 'sessions',
    makes: true,
    status: 202,
    params: ofHook,
    body: recoveryBody,
    response: dataJson(endpointJson),
    async handler({ caller, params: { id }, body, requestId }) {
      await findEndpoint(deps, caller, id)
      const period = periodOf(body, deps.clock.now())
      const message = { type: 'recover', ...period, by: byKey(caller, requestId) } as const
      return { data: endpointData((await askEndpoint(deps, caller, id, message)).view) }
    },
  })
}

async function ping(
  deps: HookRouteDeps,
  { caller, id, requestId }: { caller: Principal; id: string; requestId: string },
  { purpose, eventType }: { readonly purpose: 'verify' | 'test'; readonly eventType: string },
) {
  await findEndpoint(deps, caller, id)
  checkTestType(surface, eventType)
  const deliveryId = newAccessId('delivery', deps.clock.now())
  const by = byKey(caller, requestId)
  await askEndpoint(deps, caller, id, { type: 'ping', purpose, deliveryId, eventType, by })
  return { data: { delivery_id: deliveryId, endpoint_id: id } }
}

function pingRoutes(deps: HookRouteDeps): readonly Route[] {
  return [
    jsonRoute({
      ...sent,
      method: 'POST',
      path: `${path}/{id}/verify`,
      summary:
        'Verify a webhook: send a signed webhook.ping. Any 2xx answer activates the webhook.',
      description: 'See the outcome in the delivery and in the status of the webhook.',
      params: ofHook,
      handler: ({ caller, params: { id }, requestId }) =>
        ping(deps, { caller, id, requestId }, { purpose: 'verify', eventType: pingEventType }),
    }),
    jsonRoute({
      ...sent,
      method: 'POST',
      path: `${path}/{id}/test`,
      summary: 'Send a test event once.',
      description: 'Sends sample data of this event type, to try your receiver. It is not retried.',
      params: ofHook,
      body: endpointTest,
      handler: ({ caller, params: { id }, body, requestId }) =>
        ping(deps, { caller, id, requestId }, { purpose: 'test', eventType: body.event_type }),
    }),
  ]
}

function logRoutes(deps: HookRouteDeps): readonly Route[] {
  const { deliveries } = deps
  return [
    jsonRoute({
      method: 'GET',
      path: `${path}/{id}/deliveries`,
      summary: 'List the deliveries to a webhook, newest first.',
      description:
        'Returns each delivery with its status and attempts; filter by status and event type.',
      auth: 'key',
      scope: 'sessions',
      params: ofHook,
      query: z.object(deliveryFilters),
      response: pageJson(deliveryJson),
      async handler({ caller, params, query }) {
        const { id: endpointId, tenant } = await findEndpoint(deps, caller, params.id)
        return listDeliveries(deliveries, { surface, tenant, endpointId }, query)
      },
    }),
    jsonRoute({
      method: 'GET',
      path: `${path}/{id}/deliveries/{delivery_id}`,
      summary: 'Get a delivery, with all its attempts.',
      description: 'Each attempt has its status, time and the start of the answer.',
      auth: 'key',
      scope: 'sessions',
      params: ofDelivery,
      response: dataJson(deliveryJson),
      async handler({ caller, params }) {
        const { tenant } = await findEndpoint(deps, caller, params.id)
        const found = await findDelivery(deliveries, { surface, tenant }, params.delivery_id)
        return { data: deliveryData(found) }
      },
    }),
  ]
}

function replayRoute(deps: HookRouteDeps): Route {
  const { deliveries, clock } = deps
  return jsonRoute({
    ...sent,
    method: 'POST',
    path: `${path}/{id}/deliveries/{delivery_id}/replay`,
    summary: 'Resend the event of a delivery, with the same webhook-id.',
    description: 'Receivers that have already processed this `webhook-id` should ignore it.',
    makes: true,
    params: ofDelivery,
    async handler({ caller, params, requestId }) {
      const { id, tenant } = await findEndpoint(deps, caller, params.id)
      const source = await findDelivery(deliveries, { surface, tenant }, params.delivery_id)
      const deliveryId = newAccessId('delivery', clock.now())
      const by = byKey(caller, requestId)
      const { id: sourceId, endpointId } = source
      await askEndpoint(deps, caller, endpointId, { type: 'replay', sourceId, deliveryId, by })
      return { data: { delivery_id: deliveryId, endpoint_id: id } }
    },
  })
}
