import { z } from 'zod'
import { clientActor } from '../../../proto/access/engagement/client.ts'
import { digestText, reasonText } from '../../../proto/access/common.ts'
import { newAccessId } from '../../../proto/access/ids.ts'
import {
  scopeActor,
  scopeBody,
  scopeTerms,
  scopeTermsOf,
} from '../../../proto/access/engagement/scope.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import { jsonRoute, type Route } from '../../routing/route.ts'
import { dataJson } from '../../routing/schemas/access-json.ts'
import { scopeData, scopeJson } from './json/scope.ts'
import { onlyRoles, peopleRule, steppedUp } from '../../routing/auth/access-rule.ts'
import type { SecondPerson } from '../people/second-person.ts'
import { entityRoutes, madeHeaders, verbRoute, type EntityDeps } from './entity-routes.ts'

export interface ScopeRouteDeps extends EntityDeps {
  readonly secondPerson: SecondPerson
  readonly clock: Clock
}

const form = {
  actor: scopeActor,
  path: '/v1/service-scopes',
  noun: 'service scopes',
  json: scopeJson,
  data: scopeData,
  read: peopleRule,
} as const
const admin = steppedUp(onlyRoles('admin'))

export function scopeRoutes(deps: ScopeRouteDeps): readonly Route[] {
  return [...entityRoutes(deps, form), createRoute(deps), ...verbs(deps)]
}

function createRoute({ governance, clock }: ScopeRouteDeps): Route {
  return jsonRoute({
    method: 'POST',
    path: form.path,
    summary: 'Draft a service scope: what is contracted for a client.',
    description:
      'Defines areas, actions, fields, conditions, access paths and an end. It allows nothing ' +
      'until it is confirmed.',
    auth: 'access',
    access: onlyRoles('admin'),
    makes: true,
    status: 201,
    body: scopeBody,
    response: dataJson(scopeJson),
    headers: madeHeaders(form.path),
    async handler({ caller, body: { client_id: tenant, ...body } }) {
      await governance.get(clientActor, caller, tenant)
      const createdAtMs = clock.now()
      const id = newAccessId('scope', createdAtMs)
      const by = governance.authorOf(caller)
      const input = { id, tenant, createdAtMs, by, terms: scopeTermsOf(body) }
      return { data: scopeData(await governance.create(scopeActor, id, input)) }
    },
  })
}

function verbs(deps: ScopeRouteDeps): readonly Route[] {
  const reasoned = z.strictObject({ reason: reasonText })
  return [
    verbRoute(deps, form, {
      suffix: 'terms',
      method: 'PUT',
      summary:
        'Replace the terms. For a scope in force, narrower terms apply at once; others are ' +
        'proposed.',
      description:
        'Narrower terms apply to every grant at once; others must be confirmed by a second admin.',
      access: admin,
      body: scopeTerms,
      message: (body, by) => ({ type: 'revise', terms: scopeTermsOf(body), ...by }),
    }),
    verbRoute(deps, form, {
      suffix: 'submit',
      summary: 'Propose a draft to a second admin.',
      description: 'While it waits, the terms of a new scope cannot be edited.',
      access: admin,
      message: (_, by) => ({ type: 'submit', ...by }),
    }),
    verbRoute(deps, form, {
      suffix: 'confirm',
      summary: 'Confirm the proposal with this digest, as a different admin than its author.',
      description: 'The `digest` ensures that only what was shown is confirmed.',
      access: admin,
      body: z.strictObject({ digest: digestText }),
      check: ({ proposedBy }, _, caller) =>
        deps.secondPerson.assertIndependent(caller, proposedBy ?? []),
      untilSettled: true,
      message: ({ digest }, by) => ({ type: 'confirm', digest, ...by }),
    }),
    verbRoute(deps, form, {
      suffix: 'return',
      summary: 'Return a proposal to its author.',
      description: 'Requires a reason: what should be different.',
      access: admin,
      body: reasoned,
      message: ({ reason }, by) => ({ type: 'return', reason, ...by }),
    }),
    verbRoute(deps, form, {
      suffix: 'retire',
      summary: 'Retire a service scope: every grant within it ends.',
      description: 'Requires a reason. It cannot be undone.',
      access: admin,
      body: reasoned,
      untilSettled: true,
      message: ({ reason }, by) => ({ type: 'retire', reason, ...by }),
    }),
  ]
}
