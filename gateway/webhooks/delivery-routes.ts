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
    summary: 'Resend undelivered events of a period of 7 days at most.',
    description: 'After your receiver was down. Each message has the `webhook-id` that it had.',
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
      summary: 'Send a signed webhook.ping: any 2xx makes the webhook active.',
      description: 'The outcome is a delivery, and the state of the webhook.',
      params: ofHook,
      handler: ({ caller, params: { id }, requestId }) =>
        ping(deps, { caller, id, requestId }, { purpose: 'verify', eventType: pingEventType }),
    }),
    jsonRoute({
      ...sent,
      method: 'POST',
      path: `${path}/{id}/test`,
      summary: 'Send one test event, once.',
      description:
        'With made-up contents of that type, for trying your receiver. It is not repeated.',
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
      summary: 'What was sent to a webhook, newest first.',
      description: 'Each delivery with its state and attempts, filtered by state and type.',
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
      summary: 'One delivery, with each of its attempts.',
      description: 'With status, time and the beginning of the answer of each attempt.',
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
    summary: 'Send the event of a delivery again, under the same webhook-id.',
    description: 'Receivers that know the `webhook-id` ignore it as a repeat.',
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
