import { z } from 'zod'
import { clientActor, clientBody, clientPatch } from '../../../proto/access/engagement/client.ts'
import { reasonText } from '../../../proto/access/common.ts'
import { newAccessId } from '../../../proto/access/ids.ts'
import type { UniqueNames } from '../../../runtime/access/people/unique-names.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import { jsonRoute, type Route } from '../../routing/route.ts'
import { clientData, clientJson } from './json/client.ts'
import { dataJson } from '../../routing/schemas/access-json.ts'
import { onlyRoles, peopleRule, steppedUp } from '../../routing/auth/access-rule.ts'
import type { SecondPerson } from '../people/second-person.ts'
import { entityRoutes, madeHeaders, verbRoute, type EntityDeps } from './entity-routes.ts'

export interface ClientRouteDeps extends EntityDeps {
  readonly secondPerson: SecondPerson
  readonly names: UniqueNames
  readonly clock: Clock
}

const form = {
  actor: clientActor,
  path: '/v1/clients',
  noun: 'clients',
  json: clientJson,
  data: clientData,
  read: peopleRule,
} as const

export function clientRoutes(deps: ClientRouteDeps): readonly Route[] {
  return [...entityRoutes(deps, form), createRoute(deps), ...verbs(deps)]
}

function createRoute({ governance, names, chain, clock }: ClientRouteDeps): Route {
  return jsonRoute({
    method: 'POST',
    path: form.path,
    summary: 'Create a client. A second admin activates it, once a service scope is confirmed.',
    description: 'The first link of the access chain: everything of the client refers to its id.',
    auth: 'access',
    access: steppedUp(onlyRoles('admin')),
    makes: true,
    status: 201,
    body: clientBody,
    response: dataJson(clientJson),
    headers: madeHeaders(form.path),
    async handler({ caller, body }) {
      const createdAtMs = clock.now()
      const id = newAccessId('client', createdAtMs)
      await names.take('slug', body.slug, id, async (other) => !!chain.get('client', other))
      const by = governance.authorOf(caller)
      const input = { ...body, id, tenant: id, createdAtMs, by }
      return { data: clientData(await governance.create(clientActor, id, input)) }
    },
  })
}

const reasonedVerbs = [
  [
    'suspend',
    'Suspend a client: every access to its data is refused from the next request on.',
    'Requires a reason. Grants and tokens are kept, for `resume`.',
  ],
  ['resume', 'Resume a suspended client.', 'Its grants and tokens work again.'],
  [
    'offboard',
    'Start offboarding a client: every access to its data is refused.',
    'Requires a reason. Hand over what is left before `close`.',
  ],
  [
    'close',
    'Close a client permanently. Its grants end.',
    'Requires a reason. It cannot be undone; the audit stays readable.',
  ],
] as const

function verbs(deps: ClientRouteDeps): readonly Route[] {
  const admin = steppedUp(onlyRoles('admin'))
  return [
    verbRoute(deps, form, {
      suffix: '',
      method: 'PATCH',
      summary: 'Update the name, contact, time zone or locale of a client.',
      description: 'A merge patch. Other routes change the status.',
      access: onlyRoles('admin'),
      body: clientPatch,
      message: (patch, by) => ({ type: 'update', patch, ...by }),
    }),
    verbRoute(deps, form, {
      suffix: 'activate',
      summary: 'Activate a client, as a different admin than the one who created it.',
      description: 'From then on, its grants and tokens work.',
      access: admin,
      check: ({ createdBy }, _, caller) => deps.secondPerson.assertIndependent(caller, [createdBy]),
      message: (_, by) => ({ type: 'activate', ...by }),
    }),
    ...reasonedVerbs.map(([type, summary, description]) =>
      verbRoute(deps, form, {
        suffix: type,
        summary,
        description,
        access: admin,
        body: z.strictObject({ reason: reasonText }),
        message: ({ reason }, by) => ({ type, reason, ...by }),
      }),
    ),
  ]
}
