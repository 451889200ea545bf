/** Deliveries to the webhooks of a tenant: tests, the log, and replaying one. */
import { z } from 'zod'
import { endpointTest, recoveryBody } from '../../proto/access/webhooks/endpoint.ts'
import { dataJson, pageJson } from '../routing/schemas/access-json.ts'
import { jsonRoute, type Route } from '../routing/route.ts'
import { deliveryFilters, findDelivery, listDeliveries } from './delivery-list.ts'
import { deliveryData, deliveryJson, endpointJson, onItsWayJson } from './json.ts'
import {
  askEndpoint,
  findEndpoint,
  ownEndpoint,
  webhookPath as path,
  webhookSurface as surface,
  ofWebhook,
  type TenantWebhookDeps,
} from './own-endpoints.ts'
import {
  recoverEndpoint,
  replayToEndpoint,
  testEndpoint,
  verifyEndpoint,
  type OwnEndpoint,
} from './operations.ts'

const ofDelivery = z.object({ id: z.string(), delivery_id: z.string() })
const sent = { auth: 'key', scope: 'sessions', status: 202, response: onItsWayJson } as const

export function tenantDeliveryRoutes(deps: TenantWebhookDeps): readonly Route[] {
  return [recoveryRoute(deps), ...pingRoutes(deps), ...logRoutes(deps), replayRoute(deps)]
}

function recoveryRoute(deps: TenantWebhookDeps): Route {
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
    params: ofWebhook,
    body: recoveryBody,
    response: dataJson(endpointJson),
    handler: async (call) => recoverEndpoint(deps, await ownEndpoint(deps, call), call.body),
  })
}

function pingRoutes(deps: TenantWebhookDeps): readonly Route[] {
  return [
    jsonRoute({
      ...sent,
      method: 'POST',
      path: `${path}/{id}/verify`,
      summary:
        'Verify a webhook: send a signed webhook.ping. Any 2xx answer activates the webhook.',
      description: 'See the outcome in the delivery and in the status of the webhook.',
      params: ofWebhook,
      handler: async (call) => verifyEndpoint(deps, await ownEndpoint(deps, call)),
    }),
    jsonRoute({
      ...sent,
      method: 'POST',
      path: `${path}/{id}/test`,
      summary: 'Send a test event once.',
      description: 'Sends sample data of this event type, to try your receiver. It is not retried.',
      params: ofWebhook,
      body: endpointTest,
      handler: async (call) =>
        testEndpoint(deps, await ownEndpoint(deps, call), {
          surface,
          eventType: call.body.event_type,
        }),
    }),
  ]
}

function logRoutes(deps: TenantWebhookDeps): readonly Route[] {
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
      params: ofWebhook,
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

function replayRoute(deps: TenantWebhookDeps): Route {
  return jsonRoute({
    ...sent,
    method: 'POST',
    path: `${path}/{id}/deliveries/{delivery_id}/replay`,
    summary: 'Resend the event of a delivery, with the same webhook-id.',
    description: 'Receivers that have already processed this `webhook-id` should ignore it.',
    makes: true,
    params: ofDelivery,
    async handler(call) {
      const own = await ownEndpoint(deps, call)
      const of = { surface, tenant: own.view.tenant }
      const source = await findDelivery(deps.deliveries, of, call.params.delivery_id)
      const tell: OwnEndpoint['tell'] = (message) =>
        askEndpoint(deps, call.caller, source.endpointId, message)
      return replayToEndpoint(deps, { ...own, tell }, source)
    },
  })
}
