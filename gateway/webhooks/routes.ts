/** Webhooks of a tenant, about its sessions and web tasks. */
import { z } from 'zod'
import type { AnswerOf, MessageTo, VerbName } from '../../proto/actor.ts'
import {
  endpointActor,
  endpointReason,
  endpointTest,
  hookBody,
  hookPatch,
  recoveryBody,
  secretRotation,
  type EndpointView,
} from '../../proto/access/webhooks/endpoint.ts'
import { isAccessId, newAccessId } from '../../proto/access/ids.ts'
import { webhookLimits } from '../../proto/access/webhooks/webhook-limits.ts'
import { isNotFound, ServiceError } from '../../proto/errors.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import type { Directory } from '../../runtime/actor/directory.ts'
import type { UntrustedUrlRules } from '../../runtime/lib/network/guard/untrusted-url.ts'
import type { Sealer } from '../../runtime/accounts/seal/seal.ts'
import { pingEventType } from '../../runtime/webhooks/events/registry.ts'
import { eventTypeSchemas } from '../../runtime/webhooks/events/schema.ts'
import { newEndpointSecret } from '../../runtime/webhooks/send/signing.ts'
import type { DeliveryStore } from '../../runtime/webhooks/delivery/store.ts'
import type { ViewIndex } from '../../runtime/actor/views.ts'
import { dataJson, pageJson } from '../routing/schemas/access-json.ts'
import type { Principal } from '../routing/auth/auth.ts'
import { emptyRoute, jsonRoute, type Route } from '../routing/route.ts'
import { checkRoom, checkSettings, checkTestType, periodOf } from './checks.ts'
import { deliveryFilters, findDelivery, listDeliveries } from './delivery-list.ts'
import {
  deliveryData,
  deliveryJson,
  endpointData,
  endpointJson,
  eventTypesJson,
  madeEndpointJson,
  onItsWayJson,
} from './json.ts'
import { newEndpoint, endpointPatchOf } from './settings.ts'

export interface HookRouteDeps {
  readonly directory: Pick<Directory, 'ask' | 'create'>
  readonly endpointViews: Pick<ViewIndex<EndpointView>, 'list' | 'learn'>
  readonly deliveries: DeliveryStore
  readonly sealer: Pick<Sealer, 'seal'>
  readonly clock: Clock
  readonly rules: UntrustedUrlRules
}

const path = '/v1/webhooks'
const ofId = z.object({ id: z.string() })
const surface = 'service' as const

export function hookRoutes(deps: HookRouteDeps): readonly Route[] {
  return [...listRoutes(deps), ...makeRoutes(deps), ...verbs(deps), ...deliveryRoutes(deps)]
}

const unknownError = () => new ServiceError('not_found', 'There is no webhook of this id.')
const byKey = ({ keyId }: Principal, requestId: string) =>
  ({ kind: 'integration', id: keyId, requestId }) as const

/** Asks an endpoint of the tenant; an endpoint of scoped access is answered as unknown. */
async function ask<N extends VerbName<typeof endpointActor>>(
  { directory }: HookRouteDeps,
  { tenant }: Principal,
  id: string,
  message: MessageTo<typeof endpointActor, N>,
): Promise<AnswerOf<typeof endpointActor, N>> {
  if (!isAccessId('endpoint', id)) throw unknownError()
  try {
    return await directory.ask(endpointActor, id, message, { tenant })
  } catch (error) {
    throw isNotFound(error) ? unknownError() : error
  }
}

async function find(deps: HookRouteDeps, caller: Principal, id: string): Promise<EndpointView> {
  const { view } = await ask(deps, caller, id, { type: 'get' })
  if (view.grantId !== null || view.status === 'removed') throw unknownError()
  return view
}

const ownOf = ({ endpointViews }: HookRouteDeps, { tenant }: Principal): EndpointView[] =>
  endpointViews
    .list(tenant)
    .filter(({ grantId, status }) => grantId === null && status !== 'removed')

function listRoutes(deps: HookRouteDeps): readonly Route[] {
  const types = eventTypeSchemas(surface)
  return [
    jsonRoute({
      method: 'GET',
      path,
      summary: 'Your webhooks.',
      auth: 'key',
      scope: 'sessions',
      response: z.object({ data: z.array(endpointJson) }),
      handler: ({ caller }) => ({ data: ownOf(deps, caller).map(endpointData) }),
    }),
    jsonRoute({
      method: 'GET',
      path: `${path}/event-types`,
      summary: 'What webhooks may be told of, with the JSON Schema of each.',
      auth: 'key',
      scope: 'sessions',
      response: eventTypesJson,
      handler: () => ({ data: [...types] }),
    }),
    jsonRoute({
      method: 'GET',
      path: `${path}/{id}`,
      summary: 'One of your webhooks.',
      auth: 'key',
      scope: 'sessions',
      params: ofId,
      response: dataJson(endpointJson),
      handler: async ({ caller, params }) => ({
        data: endpointData(await find(deps, caller, params.id)),
      }),
    }),
  ]
}

function makeRoutes(deps: HookRouteDeps): readonly Route[] {
  const { directory, endpointViews, sealer, clock, rules } = deps
  return [
    jsonRoute({
      method: 'POST',
      path,
      audit: 'webhook.create',
      summary: 'Set up a webhook. Its secret is shown this once; verify it next.',
      auth: 'key',
      scope: 'sessions',
      makes: true,
      showsSecret: true,
      status: 201,
      body: hookBody,
      response: dataJson(madeEndpointJson),
      async handler({ caller, body, requestId }) {
        checkSettings(body, { rules, surface })
        checkRoom(ownOf(deps, caller), webhookLimits.endpointsPerTenant)
        const { tenant } = caller
        const by = byKey(caller, requestId)
        const owner = { tenant, grantId: null, needId: null, by }
        const { input, text } = newEndpoint(owner, body, { sealer, nowMs: clock.now() })
        const { view } = await directory.create(endpointActor, input.id, input, { tenant })
        endpointViews.learn(view)
        return { data: { ...endpointData(view), secret: text } }
      },
    }),
    jsonRoute({
      method: 'POST',
      path: `${path}/{id}/secret/rotate`,
      audit: 'webhook.update',
      summary:
        'Make another secret, shown this once; the old one signs too until its grace is over.',
      auth: 'key',
      scope: 'sessions',
      makes: true,
      showsSecret: true,
      status: 201,
      params: ofId,
      body: secretRotation,
      response: dataJson(madeEndpointJson),
      async handler({ caller, params: { id }, body, requestId }) {
        const own = await find(deps, caller, id)
        const kind = own.secrets[0]?.kind ?? 'hmac'
        const { secret, text } = newEndpointSecret(own, kind, { sealer, nowMs: clock.now() })
        const graceMs = body.grace_seconds * 1_000
        const by = byKey(caller, requestId)
        const { view } = await ask(deps, caller, id, { type: 'rotate', secret, graceMs, by })
        return { data: { ...endpointData(view), secret: text } }
      },
    }),
  ]
}

function verbs(deps: HookRouteDeps): readonly Route[] {
  const one = {
    auth: 'key',
    scope: 'sessions',
    params: ofId,
    response: dataJson(endpointJson),
  } as const
  return [
    jsonRoute({
      ...one,
      method: 'PATCH',
      path: `${path}/{id}`,
      audit: 'webhook.update',
      summary: 'Change a webhook. With another URL it has to be verified again.',
      body: hookPatch,
      async handler({ caller, params: { id }, body, requestId }) {
        await find(deps, caller, id)
        checkSettings(body, { rules: deps.rules, surface })
        const message = {
          type: 'update',
          patch: endpointPatchOf(body),
          by: byKey(caller, requestId),
        } as const
        return { data: endpointData((await ask(deps, caller, id, message)).view) }
      },
    }),
    emptyRoute({
      method: 'DELETE',
      path: `${path}/{id}`,
      audit: 'webhook.remove',
      summary: 'Remove a webhook, with its secrets.',
      auth: 'key',
      scope: 'sessions',
      params: ofId,
      async handler({ caller, params: { id }, requestId }) {
        await find(deps, caller, id)
        await ask(deps, caller, id, { type: 'remove', by: byKey(caller, requestId) })
      },
    }),
    jsonRoute({
      ...one,
      method: 'POST',
      path: `${path}/{id}/disable`,
      audit: 'webhook.update',
      summary: 'Switch a webhook off: what waits for it is cancelled.',
      body: endpointReason,
      async handler({ caller, params: { id }, body: { reason }, requestId }) {
        await find(deps, caller, id)
        const message = { type: 'disable', reason, by: byKey(caller, requestId) } as const
        return { data: endpointData((await ask(deps, caller, id, message)).view) }
      },
    }),
    jsonRoute({
      ...one,
      method: 'POST',
      path: `${path}/{id}/enable`,
      audit: 'webhook.update',
      summary: 'Switch a webhook on again; verify it next.',
      async handler({ caller, params: { id }, requestId }) {
        await find(deps, caller, id)
        const message = { type: 'enable', by: byKey(caller, requestId) } as const
        return { data: endpointData((await ask(deps, caller, id, message)).view) }
      },
    }),
    jsonRoute({
      ...one,
      method: 'POST',
      path: `${path}/{id}/recover`,
      summary: 'Send again what was not delivered, of a period of 7 days at most.',
      makes: true,
      status: 202,
      body: recoveryBody,
      async handler({ caller, params: { id }, body, requestId }) {
        await find(deps, caller, id)
        const period = periodOf(body, deps.clock.now())
        const message = { type: 'recover', ...period, by: byKey(caller, requestId) } as const
        return { data: endpointData((await ask(deps, caller, id, message)).view) }
      },
    }),
  ]
}

async function ping(
  deps: HookRouteDeps,
  { caller, id, requestId }: { caller: Principal; id: string; requestId: string },
  { purpose, eventType }: { readonly purpose: 'verify' | 'test'; readonly eventType: string },
) {
  await find(deps, caller, id)
  checkTestType(surface, eventType)
  const deliveryId = newAccessId('delivery', deps.clock.now())
  const by = byKey(caller, requestId)
  await ask(deps, caller, id, { type: 'ping', purpose, deliveryId, eventType, by })
  return { data: { delivery_id: deliveryId, endpoint_id: id } }
}

function deliveryRoutes(deps: HookRouteDeps): readonly Route[] {
  const { deliveries, clock } = deps
  const ofDelivery = z.object({ id: z.string(), delivery_id: z.string() })
  const sent = { auth: 'key', scope: 'sessions', status: 202, response: onItsWayJson } as const
  return [
    jsonRoute({
      ...sent,
      method: 'POST',
      path: `${path}/{id}/verify`,
      summary: 'Send a signed webhook.ping: any 2xx makes the webhook active.',
      params: ofId,
      handler: ({ caller, params: { id }, requestId }) =>
        ping(deps, { caller, id, requestId }, { purpose: 'verify', eventType: pingEventType }),
    }),
    jsonRoute({
      ...sent,
      method: 'POST',
      path: `${path}/{id}/test`,
      summary: 'Send one message as if it had happened, once.',
      params: ofId,
      body: endpointTest,
      handler: ({ caller, params: { id }, body, requestId }) =>
        ping(deps, { caller, id, requestId }, { purpose: 'test', eventType: body.event_type }),
    }),
    jsonRoute({
      method: 'GET',
      path: `${path}/{id}/deliveries`,
      summary: 'What was sent to a webhook, newest first.',
      auth: 'key',
      scope: 'sessions',
      params: ofId,
      query: z.object(deliveryFilters),
      response: pageJson(deliveryJson),
      async handler({ caller, params, query }) {
        const { id: endpointId, tenant } = await find(deps, caller, params.id)
        return listDeliveries(deliveries, { surface, tenant, endpointId }, query)
      },
    }),
    jsonRoute({
      method: 'GET',
      path: `${path}/{id}/deliveries/{delivery_id}`,
      summary: 'One delivery, with each of its attempts.',
      auth: 'key',
      scope: 'sessions',
      params: ofDelivery,
      response: dataJson(deliveryJson),
      async handler({ caller, params }) {
        const { tenant } = await find(deps, caller, params.id)
        const found = await findDelivery(deliveries, { surface, tenant }, params.delivery_id)
        return { data: deliveryData(found) }
      },
    }),
    jsonRoute({
      ...sent,
      method: 'POST',
      path: `${path}/{id}/deliveries/{delivery_id}/replay`,
      summary: 'Send the event of a delivery again, under the same webhook-id.',
      makes: true,
      params: ofDelivery,
      async handler({ caller, params, requestId }) {
        const { id, tenant } = await find(deps, caller, params.id)
        const source = await findDelivery(deliveries, { surface, tenant }, params.delivery_id)
        const deliveryId = newAccessId('delivery', clock.now())
        const by = byKey(caller, requestId)
        const { id: sourceId, endpointId } = source
        await ask(deps, caller, endpointId, { type: 'replay', sourceId, deliveryId, by })
        return { data: { delivery_id: deliveryId, endpoint_id: id } }
      },
    }),
  ]
}
