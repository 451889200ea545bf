import { defined } from '../../../proto/defined.ts'
import { newAccessId, type ClientId } from '../../../proto/access/ids.ts'
import { decidersOf } from '../../../proto/access/grants/review-slots.ts'
import { clientActor } from '../../../proto/access/engagement/client.ts'
import {
  requestActor,
  requestBody,
  requestTerms,
  requestTermsOf,
  type RequestView,
} from '../../../proto/access/grants/request.ts'
import { reviewBody } from '../../../proto/access/grants/review.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import { badField } from '../../routing/schemas/validate.ts'
import { jsonRoute, type Route } from '../../routing/route.ts'
import { callerTenantOf, type AccessCaller } from '../../routing/auth/access-caller.ts'
import { dataJson } from '../../routing/schemas/access-json.ts'
import { openSlotsData } from './json/open-slots.ts'
import { requestData, requestJson } from './json/request.ts'
import type { References } from '../records/references.ts'
import { onlyRoles, peopleRule, steppedUp } from '../../routing/auth/access-rule.ts'
import type { Approvers } from '../people/approvers.ts'
import type { SecondPerson } from '../people/second-person.ts'
import { entityRoutes, madeHeaders, verbRoute, type EntityDeps } from './entity-routes.ts'

export interface RequestRouteDeps extends EntityDeps {
  readonly secondPerson: SecondPerson
  readonly approvers: Approvers
  readonly references: References
  readonly clock: Clock
}

const path = '/v1/access-requests'

const formOf = ({ approvers }: RequestRouteDeps) => ({
  actor: requestActor,
  path,
  noun: 'access requests',
  json: requestJson,
  data: (view: RequestView, caller: AccessCaller) =>
    requestData(view, openSlotsData(approvers.ofRequest(view), caller)),
  read: peopleRule,
})
type Form = ReturnType<typeof formOf>

export function requestRoutes(deps: RequestRouteDeps): readonly Route[] {
  const form = formOf(deps)
  return [...entityRoutes(deps, form), createRoute(deps, form), ...verbs(deps, form)]
}

function createRoute({ governance, references, clock }: RequestRouteDeps, form: Form): Route {
  return jsonRoute({
    method: 'POST',
    path,
    summary: 'Draft an access request. Submit it to have it reviewed.',
    description: 'States what is requested, for whom, until when, and the need that it serves.',
    auth: 'access',
    access: peopleRule,
    makes: true,
    status: 201,
    body: requestBody,
    response: dataJson(requestJson),
    headers: madeHeaders(path),
    async handler({ caller, body: { client_id: asked, ...body } }) {
      const tenant = clientFor(caller, asked)
      await governance.get(clientActor, caller, tenant)
      const createdAtMs = clock.now()
      const id = newAccessId('request', createdAtMs)
      const by = governance.authorOf(caller)
      const terms = requestTermsOf(body)
      await references.terms(tenant, terms)
      const input = { id, tenant, createdAtMs, by, terms }
      return { data: form.data(await governance.create(requestActor, id, input), caller) }
    },
  })
}

/** Members ask for their own client; staff name it. */
export function clientFor(caller: AccessCaller, asked: ClientId | undefined): ClientId {
  const own = callerTenantOf(caller) as ClientId | undefined
  const client = own ?? asked
  if (client === undefined) throw badField('client_id', 'client_id is required: name the client.')
  if (asked !== undefined && asked !== client) {
    throw badField('client_id', 'client_id is not your client; leave it out.')
  }
  return client
}

function verbs(deps: RequestRouteDeps, form: Form): readonly Route[] {
  return [
    verbRoute(deps, form, {
      suffix: '',
      method: 'PUT',
      summary: 'Replace a draft or a returned request. Its earlier reviews become invalid.',
      description: 'Send all fields.',
      access: peopleRule,
      body: requestTerms,
      check: ({ tenant }, body) => deps.references.terms(tenant, requestTermsOf(body)),
      message: (body, by) => ({ type: 'revise', terms: requestTermsOf(body), ...by }),
    }),
    verbRoute(deps, form, {
      suffix: 'submit',
      summary:
        'Submit a request: its need and scope are checked, and its reviewers are determined.',
      description:
        'From then on, its content is fixed. `open_slots` says who can give each approval, or what ' +
        'to do if nobody can.',
      access: peopleRule,
      untilSettled: true,
      message: (_, by, view) => ({
        ...{ type: 'submit', ...by },
        ...defined({ staffing: deps.approvers.forRequest(view) }),
      }),
    }),
    verbRoute(deps, form, {
      suffix: 'reviews',
      summary:
        'Review the request with this digest: approve, deny, or request changes, with a reason.',
      description:
        'The last required approval creates the grant. The requester and the subject cannot ' +
        'review it, nor can people who let the requester or another reviewer in during the last 30 ' +
        'days, or were let in by them.',
      access: steppedUp(onlyRoles('reviewer', 'owner')),
      body: reviewBody,
      untilSettled: true,
      check: (view, _, caller) => deps.secondPerson.assertIndependent(caller, decidersOf(view)),
      // What was checked is what is reviewed, also for any version.
      message: (body, by, { version }) => ({
        ...{ type: 'review', reviewId: newAccessId('review'), ifVersion: version },
        ...{ ...body, ...by },
      }),
    }),
    verbRoute(deps, form, {
      suffix: 'withdraw',
      summary: 'Withdraw a request.',
      description: 'Only before it is decided. To end access that was granted, revoke the grant.',
      access: peopleRule,
      message: (_, by) => ({ type: 'withdraw', ...by }),
    }),
  ]
}
