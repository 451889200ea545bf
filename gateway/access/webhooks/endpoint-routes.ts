/** Webhook endpoints of grants with the path `webhooks`, managed by the grants' holders. */
import {
  endpointActor,
  endpointBody,
  endpointPatch,
  endpointReason,
  endpointTest,
  recoveryBody,
  secretRotation,
  type EndpointView,
} from '../../../proto/access/webhooks/endpoint.ts'
import { grantActor, type GrantView } from '../../../proto/access/grants/grant.ts'
import { webhookLimits } from '../../../proto/access/webhooks/webhook-limits.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import type { UntrustedUrlRules } from '../../../runtime/lib/network/guard/untrusted-url.ts'
import type { Sealer } from '../../../runtime/accounts/seal/seal.ts'
import { eventTypeSchemas } from '../../../runtime/webhooks/events/schema.ts'
import { emptyRoute, jsonRoute, type Route } from '../../routing/route.ts'
import { checkRoom, checkSettings } from '../../webhooks/checks.ts'
import {
  endpointData,
  endpointJson,
  eventTypesJson,
  madeEndpointJson,
  onItsWayJson,
} from '../../webhooks/json.ts'
import {
  recoverEndpoint,
  rotateEndpointSecret,
  testEndpoint,
  verifyEndpoint,
  type OwnEndpoint,
} from '../../webhooks/operations.ts'
import { newEndpoint, endpointPatchOf } from '../../webhooks/settings.ts'
import type { AccessCaller } from '../../routing/auth/access-caller.ts'
import { unknownEntity } from '../governance/governance.ts'
import { assertHolder } from '../gate/holder.ts'
import { dataJson } from '../../routing/schemas/access-json.ts'
import type { AccessNotes } from '../gate/notes.ts'
import { anyoneRule, peopleRule, steppedUp } from '../../routing/auth/access-rule.ts'
import {
  byAuthor,
  entityRoutes,
  madeHeaders,
  ofId,
  verbRoute,
  type EntityDeps,
} from '../governance/entity-routes.ts'

export interface WebhookRouteDeps extends EntityDeps {
  readonly clock: Clock
  readonly notes: AccessNotes
  readonly sealer: Pick<Sealer, 'seal'>
  readonly webhookRules: UntrustedUrlRules
}

/** Hides removed endpoints and those of browser-service tenants, which have no grant. */
export const isShown = ({ grantId, status }: EndpointView): boolean =>
  grantId !== null && status !== 'removed'

const form = {
  actor: endpointActor,
  path: '/v1/webhook-endpoints',
  noun: 'webhook endpoints',
  json: endpointJson,
  data: endpointData,
  read: peopleRule,
  shows: isShown,
} as const

export function webhookEndpointRoutes(deps: WebhookRouteDeps): readonly Route[] {
  return [
    typesRoute(),
    ...entityRoutes(deps, form),
    createRoute(deps),
    ...verbs(deps),
    removeRoute(deps),
    ...sendRoutes(deps),
    rotateRoute(deps),
  ]
}

function typesRoute(): Route {
  const types = eventTypeSchemas('access')
  return jsonRoute({
    method: 'GET',
    path: '/v1/webhook-event-types',
    summary: 'List the event types that webhooks can subscribe to, with the JSON Schema of each.',
    description:
      'For choosing `events`, and for generating the types of your receiver from the schemas.',
    auth: 'access',
    access: anyoneRule,
    response: eventTypesJson,
    handler: () => ({ data: [...types] }),
  })
}

function createRoute({ governance, chain, clock, sealer, notes, webhookRules }: WebhookRouteDeps) {
  return jsonRoute({
    method: 'POST',
    path: form.path,
    summary:
      'Create an endpoint for a grant. Its secret is shown only once. Verify the endpoint next.',
    description:
      'It receives only events about what the grant may read. Messages are signed as Standard ' +
      'Webhooks defines.',
    auth: 'access',
    access: steppedUp(peopleRule),
    makes: true,
    showsSecret: true,
    status: 201,
    body: endpointBody,
    response: dataJson(madeEndpointJson),
    headers: madeHeaders(form.path),
    async handler({ caller, body }) {
      const grant = await governance.get(grantActor, caller, body.grant_id)
      assertHolder(grant, caller)
      checkGrant(grant)
      const { permissions, tenant, id: grantId, needId } = grant
      checkSettings(body, { rules: webhookRules, surface: 'access', permissions })
      const ofGrant = chain.list('endpoint', tenant).filter((one) => one.grantId === grantId)
      checkRoom(ofGrant, webhookLimits.endpointsPerGrant)
      const owner = { tenant, grantId, needId, by: governance.authorOf(caller) }
      const { input, text } = newEndpoint(owner, body, { sealer, nowMs: clock.now() })
      const view = await governance.create(endpointActor, input.id, input)
      notes.secretShown(caller, { kind: 'endpoint', id: input.id })
      return { data: { ...endpointData(view), secret: text } }
    },
  })
}

function checkGrant({ path, status }: GrantView): void {
  if (path !== 'webhooks') {
    const text = `This grant is for the path ${path}; request a grant for the path webhooks.`
    throw new ServiceError('conflict', text, { path })
  }
  if (status === 'active' || status === 'scheduled') return
  const text = `This grant is ${status}; use a grant that is active or scheduled.`
  throw new ServiceError('conflict', text, { status })
}

/**
 * Throws `not_found` for an endpoint without a grant, and `forbidden` if the caller does not hold
 * it.
 */
function grantOf({ chain }: EntityDeps, caller: AccessCaller, view: EndpointView): GrantView {
  const grant = view.grantId === null ? undefined : chain.get('grant', view.grantId)
  if (!grant || !isShown(view)) throw unknownEntity('endpoint')
  assertHolder(grant, caller)
  return grant
}

/** An endpoint of a grant that the caller holds; throws as `grantOf` does. */
export async function heldEndpoint(
  deps: EntityDeps,
  caller: AccessCaller,
  id: string,
): Promise<OwnEndpoint> {
  const { governance } = deps
  const view = await governance.get(endpointActor, caller, id)
  grantOf(deps, caller, view)
  return {
    view,
    by: governance.authorOf(caller),
    tell: (message) => governance.tell(endpointActor, caller, id, message),
  }
}

function verbs(deps: WebhookRouteDeps): readonly Route[] {
  return [
    verbRoute(deps, form, {
      suffix: '',
      method: 'PATCH',
      summary: 'Update an endpoint. With another URL, it must be verified again.',
      description: 'A merge patch: fields that you leave out stay unchanged.',
      access: steppedUp(peopleRule),
      body: endpointPatch,
      check(view, body, caller) {
        const { permissions } = grantOf(deps, caller, view)
        checkSettings(body, { rules: deps.webhookRules, surface: 'access', permissions })
      },
      message: (body, by) => ({ type: 'update', patch: endpointPatchOf(body), ...by }),
    }),
    verbRoute(deps, form, {
      suffix: 'disable',
      summary: 'Disable an endpoint: its waiting deliveries are cancelled.',
      description: 'Requires a reason. It keeps its settings and receives nothing.',
      access: peopleRule,
      body: endpointReason,
      check: (view, _, caller) => void grantOf(deps, caller, view),
      message: ({ reason }, by) => ({ type: 'disable', reason, ...by }),
    }),
    verbRoute(deps, form, {
      suffix: 'enable',
      summary: 'Enable an endpoint again; verify it next.',
      description: 'For an endpoint that you or repeated failures have disabled.',
      access: peopleRule,
      check: (view, _, caller) => void grantOf(deps, caller, view),
      message: (_, by) => ({ type: 'enable', ...by }),
    }),
  ]
}

function removeRoute(deps: WebhookRouteDeps): Route {
  const { governance } = deps
  return emptyRoute({
    method: 'DELETE',
    path: `${form.path}/{id}`,
    summary: 'Delete an endpoint and its secrets.',
    description: 'Its waiting deliveries are cancelled.',
    auth: 'access',
    access: peopleRule,
    needsIfMatch: true,
    params: ofId,
    async handler({ caller, params, request }) {
      grantOf(deps, caller, await governance.get(endpointActor, caller, params.id))
      const by = byAuthor(governance, caller, request)
      await governance.tell(endpointActor, caller, params.id, { type: 'remove', ...by })
    },
  })
}

function sendRoutes(deps: WebhookRouteDeps): readonly Route[] {
  return [
    jsonRoute({
      method: 'POST',
      path: `${form.path}/{id}/verify`,
      summary: 'Send a signed webhook.ping: any 2xx makes the endpoint active.',
      description: 'The result is a delivery, and the status of the endpoint.',
      auth: 'access',
      access: peopleRule,
      status: 202,
      params: ofId,
      response: onItsWayJson,
      handler: async ({ caller, params }) =>
        verifyEndpoint(deps, await heldEndpoint(deps, caller, params.id)),
    }),
    jsonRoute({
      method: 'POST',
      path: `${form.path}/{id}/test`,
      summary: 'Send a test event, once.',
      description: 'Sends sample data of that type, to try out the receiver. It is not retried.',
      auth: 'access',
      access: peopleRule,
      status: 202,
      params: ofId,
      body: endpointTest,
      response: onItsWayJson,
      handler: async ({ caller, params, body: { event_type: eventType } }) =>
        testEndpoint(deps, await heldEndpoint(deps, caller, params.id), {
          surface: 'access',
          eventType,
        }),
    }),
    jsonRoute({
      method: 'POST',
      path: `${form.path}/{id}/recover`,
      summary: 'Resend undelivered events of a period of at most 7 days.',
      description: 'For use after the receiver was down. Each message keeps its `webhook-id`.',
      auth: 'access',
      access: peopleRule,
      makes: true,
      status: 202,
      params: ofId,
      body: recoveryBody,
      response: dataJson(endpointJson),
      handler: async ({ caller, params, body }) =>
        recoverEndpoint(deps, await heldEndpoint(deps, caller, params.id), body),
    }),
  ]
}

function rotateRoute(deps: WebhookRouteDeps): Route {
  return jsonRoute({
    method: 'POST',
    path: `${form.path}/{id}/secret/rotate`,
    summary:
      'Create a new secret, shown only once; the old one also signs until its grace period ends.',
    description:
      'Both secrets sign for a while, so that the receiver can be updated without a gap.',
    auth: 'access',
    access: steppedUp(peopleRule),
    makes: true,
    showsSecret: true,
    status: 201,
    params: ofId,
    body: secretRotation,
    response: dataJson(madeEndpointJson),
    async handler({ caller, params: { id }, body }) {
      const rotated = await rotateEndpointSecret(deps, await heldEndpoint(deps, caller, id), body)
      deps.notes.secretShown(caller, { kind: 'endpoint', id })
      return rotated
    },
  })
}
