import { newAccessId, type ClientId } from '../../../proto/access/ids.ts'
import { clientActor } from '../../../proto/access/engagement/client.ts'
import {
  requestActor,
  requestBody,
  requestTerms,
  requestTermsOf,
} from '../../../proto/access/grants/request.ts'
import { reviewBody } from '../../../proto/access/grants/review.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import { badField } from '../../routing/schemas/validate.ts'
import { jsonRoute, type Route } from '../../routing/route.ts'
import { callerTenantOf, type AccessCaller } from '../../routing/auth/access-caller.ts'
import { dataJson } from '../../routing/schemas/access-json.ts'
import { requestData, requestJson } from './json/request.ts'
import type { References } from '../records/references.ts'
import { onlyRoles, peopleRule, steppedUp } from '../../routing/auth/access-rule.ts'
import { entityRoutes, madeHeaders, verbRoute, type EntityDeps } from './entity-routes.ts'

export interface RequestRouteDeps extends EntityDeps {
  readonly references: References
  readonly clock: Clock
}

const form = {
  actor: requestActor,
  path: '/v1/access-requests',
  noun: 'access requests',
  json: requestJson,
  data: requestData,
  read: peopleRule,
} as const

export function requestRoutes(deps: RequestRouteDeps): readonly Route[] {
  return [...entityRoutes(deps, form), createRoute(deps), ...verbs(deps)]
}

function createRoute({ governance, references, clock }: RequestRouteDeps): Route {
  return jsonRoute({
    method: 'POST',
    path: form.path,
    summary: 'Draft a request for access. Submit it to have it reviewed.',
    description:
      'What is asked for, for whom, until when, and the need that it serves. A draft is ' +
      'not reviewed yet.',
    auth: 'access',
    access: peopleRule,
    makes: true,
    status: 201,
    body: requestBody,
    response: dataJson(requestJson),
    headers: madeHeaders(form.path),
    async handler({ caller, body: { client_id: asked, ...body } }) {
      const tenant = clientFor(caller, asked)
      await governance.get(clientActor, caller, tenant)
      const createdAtMs = clock.now()
      const id = newAccessId('request', createdAtMs)
      const by = governance.authorOf(caller)
      const terms = requestTermsOf(body)
      await references.terms(tenant, terms)
      const input = { id, tenant, createdAtMs, by, terms }
      return { data: requestData(await governance.create(requestActor, id, input)) }
    },
  })
}

/** Members ask for their own client; staff name it. */
export function clientFor(caller: AccessCaller, asked: ClientId | undefined): ClientId {
  const own = callerTenantOf(caller) as ClientId | undefined
  const client = own ?? asked
  if (client === undefined) throw badField('client_id', 'client_id is required: for which client?')
  if (asked !== undefined && asked !== client) {
    throw badField('client_id', 'client_id is not a client of yours; leave it out.')
  }
  return client
}

function verbs(deps: RequestRouteDeps): readonly Route[] {
  return [
    verbRoute(deps, form, {
      suffix: '',
      method: 'PUT',
      summary: 'Rewrite a draft or a returned request. Its earlier reviews become invalid.',
      description: 'All fields at once.',
      access: peopleRule,
      body: requestTerms,
      check: ({ tenant }, body) => deps.references.terms(tenant, requestTermsOf(body)),
      message: (body, by) => ({ type: 'revise', terms: requestTermsOf(body), ...by }),
    }),
    verbRoute(deps, form, {
      suffix: 'submit',
      summary:
        'Submit a request: its need and its scope are checked, and who must review it is set.',
      description: 'From now on its content is fixed; the answer names who has to review it.',
      access: peopleRule,
      untilSettled: true,
      message: (_, by) => ({ type: 'submit', ...by }),
    }),
    verbRoute(deps, form, {
      suffix: 'reviews',
      summary:
        'Review exactly what has this digest: approve, deny, or ask for changes; with a reason.',
      description:
        'The last approval that is needed makes the grant. Who asked for access, or gets it, ' +
        'does not review it.',
      access: steppedUp(onlyRoles('reviewer', 'owner')),
      body: reviewBody,
      untilSettled: true,
      message: (body, by) => ({ type: 'review', reviewId: newAccessId('review'), ...body, ...by }),
    }),
    verbRoute(deps, form, {
      suffix: 'withdraw',
      summary: 'Withdraw a request.',
      description: 'A grant that came of it is not touched; revoke that.',
      access: peopleRule,
      message: (_, by) => ({ type: 'withdraw', ...by }),
    }),
  ]
}
