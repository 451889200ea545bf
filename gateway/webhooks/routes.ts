/** Webhooks of a tenant, for events of its sessions and web tasks. */
import { z } from 'zod'
import {
  endpointActor,
  endpointReason,
  webhookBody,
  webhookPatch,
  secretRotation,
} from '../../proto/access/webhooks/endpoint.ts'
import { webhookLimits } from '../../proto/access/webhooks/webhook-limits.ts'
import { eventTypeSchemas } from '../../runtime/webhooks/events/schema.ts'
import { dataJson } from '../routing/schemas/access-json.ts'
import { emptyRoute, jsonRoute, type Route } from '../routing/route.ts'
import { checkRoom, checkSettings } from './checks.ts'
import { tenantDeliveryRoutes } from './delivery-routes.ts'
import { endpointData, endpointJson, eventTypesJson, madeEndpointJson } from './json.ts'
import {
  byKey,
  endpointsOf,
  findEndpoint,
  ownEndpoint,
  webhookPath as path,
  webhookSurface as surface,
  ofWebhook,
  type TenantWebhookDeps,
} from './own-endpoints.ts'
import { rotateEndpointSecret } from './operations.ts'
import { newEndpoint, endpointPatchOf } from './settings.ts'

export function tenantWebhookRoutes(deps: TenantWebhookDeps): readonly Route[] {
  return [
    ...listRoutes(deps),
    ...makeRoutes(deps),
    ...changeRoutes(deps),
    ...switchRoutes(deps),
    ...tenantDeliveryRoutes(deps),
  ]
}

function listRoutes(deps: TenantWebhookDeps): readonly Route[] {
  const types = eventTypeSchemas(surface)
  return [
    jsonRoute({
      method: 'GET',
      path,
      summary: 'List your webhooks.',
      description: 'Returns all webhooks of your tenant, with their status and events.',
      auth: 'key',
      scope: 'sessions',
      response: z.object({ data: z.array(endpointJson) }),
      handler: ({ caller }) => ({ data: endpointsOf(deps, caller).map(endpointData) }),
    }),
    jsonRoute({
      method: 'GET',
      path: `${path}/event-types`,
      summary: 'List the event types for webhooks, with the JSON Schema of each.',
      description:
        'Use it to choose `events`, and to generate types for your receiver from the schemas.',
      auth: 'key',
      scope: 'sessions',
      response: eventTypesJson,
      handler: () => ({ data: [...types] }),
    }),
    jsonRoute({
      method: 'GET',
      path: `${path}/{id}`,
      summary: 'Get a webhook.',
      description: 'Returns its URL, events, status, and when its secrets stop signing.',
      auth: 'key',
      scope: 'sessions',
      params: ofWebhook,
      response: dataJson(endpointJson),
      handler: async ({ caller, params }) => ({
        data: endpointData(await findEndpoint(deps, caller, params.id)),
      }),
    }),
  ]
}

const makeRoutes = (deps: TenantWebhookDeps): readonly Route[] => [
  createRoute(deps),
  rotateRoute(deps),
]

function createRoute(deps: TenantWebhookDeps): Route {
  const { directory, endpointViews, sealer, clock, rules } = deps
  return jsonRoute({
    method: 'POST',
    path,
    audit: 'webhook.create',
    summary: 'Create a webhook. Its secret is shown only once; verify the webhook next.',
    description:
      'Messages are signed with the Standard Webhooks scheme; check signatures with any of ' +
      'its libraries. No events are sent until the webhook is verified.',
    auth: 'key',
    scope: 'sessions',
    makes: true,
    showsSecret: true,
    status: 201,
    body: webhookBody,
    response: dataJson(madeEndpointJson),
    async handler({ caller, body, requestId }) {
      checkSettings(body, { rules, surface })
      checkRoom(endpointsOf(deps, caller), webhookLimits.endpointsPerTenant)
      const { tenant } = caller
      const by = byKey(caller, requestId)
      const owner = { tenant, grantId: null, needId: null, by }
      const { input, text } = newEndpoint(owner, body, { sealer, nowMs: clock.now() })
      const { view } = await directory.create(endpointActor, input.id, input, { tenant })
      endpointViews.learn(view)
      return { data: { ...endpointData(view), secret: text } }
    },
  })
}

function rotateRoute(deps: TenantWebhookDeps): Route {
  return jsonRoute({
    method: 'POST',
    path: `${path}/{id}/secret/rotate`,
    audit: 'webhook.update',
    summary:
      'Create a new secret, shown only once; the old one also signs until its grace period ends.',
    description:
      'Both secrets sign during the grace period, so that you can update your receiver ' +
      'without a gap.',
    auth: 'key',
    scope: 'sessions',
    makes: true,
    showsSecret: true,
    status: 201,
    params: ofWebhook,
    body: secretRotation,
    response: dataJson(madeEndpointJson),
    handler: async (call) => rotateEndpointSecret(deps, await ownEndpoint(deps, call), call.body),
  })
}

const ofOneWebhook = {
  auth: 'key',
  scope: 'sessions',
  params: ofWebhook,
  response: dataJson(endpointJson),
} as const

function changeRoutes(deps: TenantWebhookDeps): readonly Route[] {
  return [
    jsonRoute({
      ...ofOneWebhook,
      method: 'PATCH',
      path: `${path}/{id}`,
      audit: 'webhook.update',
      summary: 'Update a webhook. With a new URL it must be verified again.',
      description: 'A merge patch: omitted fields stay unchanged.',
      body: webhookPatch,
      async handler(call) {
        const { by, tell } = await ownEndpoint(deps, call)
        checkSettings(call.body, { rules: deps.rules, surface })
        const patch = endpointPatchOf(call.body)
        return { data: endpointData(await tell({ type: 'update', patch, by })) }
      },
    }),
    emptyRoute({
      method: 'DELETE',
      path: `${path}/{id}`,
      audit: 'webhook.remove',
      summary: 'Remove a webhook and its secrets.',
      description: 'Pending deliveries are cancelled.',
      auth: 'key',
      scope: 'sessions',
      params: ofWebhook,
      async handler(call) {
        const { by, tell } = await ownEndpoint(deps, call)
        await tell({ type: 'remove', by })
      },
    }),
  ]
}

function switchRoutes(deps: TenantWebhookDeps): readonly Route[] {
  return [
    jsonRoute({
      ...ofOneWebhook,
      method: 'POST',
      path: `${path}/{id}/disable`,
      audit: 'webhook.update',
      summary: 'Disable a webhook. Pending deliveries are cancelled.',
      description: 'The webhook keeps its settings but receives no events.',
      body: endpointReason,
      async handler(call) {
        const { by, tell } = await ownEndpoint(deps, call)
        const { reason } = call.body
        return { data: endpointData(await tell({ type: 'disable', reason, by })) }
      },
    }),
    jsonRoute({
      ...ofOneWebhook,
      method: 'POST',
      path: `${path}/{id}/enable`,
      audit: 'webhook.update',
      summary: 'Enable a webhook again; verify it next.',
      description: 'Use it after you disabled the webhook, or repeated failures did.',
      async handler(call) {
        const { by, tell } = await ownEndpoint(deps, call)
        return { data: endpointData(await tell({ type: 'enable', by })) }
      },
    }),
  ]
}
