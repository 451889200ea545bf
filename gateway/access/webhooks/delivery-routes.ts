/** The log of deliveries to a client's endpoints, and sending one again. */
import { z } from 'zod'
import { endpointActor } from '../../../proto/access/webhooks/endpoint.ts'
import { accessId } from '../../../proto/access/ids.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import type { Config } from '../../../runtime/config/config.ts'
import type { DeliveryStore } from '../../../runtime/webhooks/delivery/store.ts'
import { webhookBaseUrl } from '../../../runtime/webhooks/settings.ts'
import { jsonRoute, type Route } from '../../routing/route.ts'
import { deliveryFilters, findDelivery, listDeliveries } from '../../webhooks/delivery-list.ts'
import { endpointHealth, healthJson } from '../../webhooks/health.ts'
import {
  deliveryJson,
  onItsWayJson,
  wholeDeliveryData,
  wholeDeliveryJson,
} from '../../webhooks/json.ts'
import { replayToEndpoint } from '../../webhooks/operations.ts'
import { callerTenantOf } from '../../routing/auth/access-caller.ts'
import { unknownEntity } from '../governance/governance.ts'
import { dataJson, pageJson } from '../../routing/schemas/access-json.ts'
import { peopleRule } from '../../routing/auth/access-rule.ts'
import { ofId, type EntityDeps } from '../governance/entity-routes.ts'
import { heldEndpoint, isShown } from './endpoint-routes.ts'

export interface DeliveryRouteDeps extends EntityDeps {
  readonly deliveries: DeliveryStore
  readonly clock: Clock
  readonly config: Pick<Config, 'PUBLIC_URL'>
}

const path = '/v1/webhook-deliveries'
const query = z.strictObject({
  client_id: accessId('client').optional(),
  endpoint_id: accessId('endpoint').optional(),
  ...deliveryFilters,
})

export function webhookDeliveryRoutes(deps: DeliveryRouteDeps): readonly Route[] {
  const { deliveries } = deps
  const baseUrl = webhookBaseUrl(deps.config)
  return [
    healthRoute(deps),
    jsonRoute({
      method: 'GET',
      path,
      summary: 'List webhook deliveries, newest first.',
      description:
        'Lists deliveries of the endpoints that you may see. Can be filtered by endpoint, ' +
        'status and type.',
      auth: 'access',
      access: peopleRule,
      query,
      response: pageJson(deliveryJson),
      handler({ caller, query: { client_id: clientId, endpoint_id: endpointId, ...asked } }) {
        const own = callerTenantOf(caller)
        const isOthers = own !== undefined && clientId !== undefined && own !== clientId
        if (isOthers) return { data: [], page: { has_more: false, next_cursor: null } }
        const of = { surface: 'access', tenant: own ?? clientId, endpointId } as const
        return listDeliveries(deliveries, of, asked)
      },
    }),
    jsonRoute({
      method: 'GET',
      path: `${path}/{id}`,
      summary: 'Get a delivery, with its attempts and its payload.',
      description: 'Each attempt has its status, its time and the beginning of the answer.',
      auth: 'access',
      access: peopleRule,
      params: ofId,
      response: dataJson(wholeDeliveryJson),
      async handler({ caller, params }) {
        const of = { surface: 'access', tenant: callerTenantOf(caller) } as const
        return { data: wholeDeliveryData(await findDelivery(deliveries, of, params.id), baseUrl) }
      },
    }),
    replayRoute(deps),
  ]
}

function replayRoute(deps: DeliveryRouteDeps): Route {
  return jsonRoute({
    method: 'POST',
    path: `${path}/{id}/replay`,
    summary: 'Send the event of a delivery again, with the same webhook-id.',
    description: 'A receiver that knows the `webhook-id` can ignore it as a repeat.',
    auth: 'access',
    access: peopleRule,
    makes: true,
    status: 202,
    params: ofId,
    response: onItsWayJson,
    async handler({ caller, params }) {
      const of = { surface: 'access', tenant: callerTenantOf(caller) } as const
      const source = await findDelivery(deps.deliveries, of, params.id)
      return replayToEndpoint(deps, await heldEndpoint(deps, caller, source.endpointId), source)
    },
  })
}

const healthRoute = ({ governance, deliveries }: DeliveryRouteDeps): Route =>
  jsonRoute({
    method: 'GET',
    path: '/v1/webhook-endpoints/{id}/health',
    summary:
      'Get the health of an endpoint: the outcomes of its newest deliveries, and waiting ones.',
    description: 'For a dashboard: counts by outcome, without pings and tests.',
    auth: 'access',
    access: peopleRule,
    params: ofId,
    response: dataJson(healthJson),
    async handler({ caller, params }) {
      const view = await governance.get(endpointActor, caller, params.id)
      if (!isShown(view)) throw unknownEntity('endpoint')
      return { data: await endpointHealth(deliveries, view) }
    },
  })
