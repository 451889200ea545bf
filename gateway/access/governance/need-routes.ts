import { z } from 'zod'
import { clientActor } from '../../../proto/access/engagement/client.ts'
import { reasonText } from '../../../proto/access/common.ts'
import { newAccessId } from '../../../proto/access/ids.ts'
import {
  needActor,
  needBody,
  needExtension,
  needPatch,
} from '../../../proto/access/engagement/need.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import { jsonRoute, type Route } from '../../routing/route.ts'
import { needData, needJson } from './json/need.ts'
import { dataJson } from '../../routing/schemas/access-json.ts'
import type { References } from '../records/references.ts'
import { onlyRoles, peopleRule } from '../../routing/auth/access-rule.ts'
import { entityRoutes, madeHeaders, verbRoute, type EntityDeps } from './entity-routes.ts'

export interface NeedRouteDeps extends EntityDeps {
  readonly references: References
  readonly clock: Clock
}

const form = {
  actor: needActor,
  path: '/v1/needs',
  noun: 'needs',
  json: needJson,
  data: needData,
  read: peopleRule,
} as const
/** Who may open and close needs. */
const keepers = onlyRoles('admin', 'reviewer', 'operator', 'change_manager', 'owner')

export function needRoutes(deps: NeedRouteDeps): readonly Route[] {
  return [...entityRoutes(deps, form), createRoute(deps), ...verbs(deps)]
}

function createRoute({ governance, references, clock }: NeedRouteDeps): Route {
  return jsonRoute({
    method: 'POST',
    path: form.path,
    summary: 'Open an operational need: its purpose, its end, and the person responsible.',
    description: 'Access requests cite a need; no access lasts longer than the need that it cites.',
    auth: 'access',
    access: keepers,
    makes: true,
    status: 201,
    body: needBody,
    response: dataJson(needJson),
    headers: madeHeaders(form.path),
    async handler({ caller, body }) {
      const { client_id: tenant, owner_id: ownerId, expected_end_at: expectedEndAtMs } = body
      await governance.get(clientActor, caller, tenant)
      await references.person(tenant, ownerId, '/owner_id')
      const createdAtMs = clock.now()
      const id = newAccessId('need', createdAtMs)
      const by = governance.authorOf(caller)
      const { title, purpose, category, reference } = body
      const details = { title, purpose, category, reference, ownerId, expectedEndAtMs }
      const input = { id, tenant, createdAtMs, by, ...details }
      return { data: needData(await governance.create(needActor, id, input)) }
    },
  })
}

function verbs(deps: NeedRouteDeps): readonly Route[] {
  return [
    verbRoute(deps, form, {
      suffix: '',
      method: 'PATCH',
      summary: 'Update the title, purpose or reference of a need.',
      description: 'A merge patch. `extend` changes the end.',
      access: keepers,
      body: needPatch,
      message: (patch, by) => ({ type: 'update', patch, ...by }),
    }),
    verbRoute(deps, form, {
      suffix: 'extend',
      summary: 'Extend a need, as a reviewer who does not own it.',
      description: 'Requires a reason, which the audit keeps. Existing grants are not extended.',
      access: onlyRoles('reviewer', 'owner'),
      body: needExtension,
      message: ({ expected_end_at: expectedEndAtMs, reason }, by) => ({
        type: 'extend',
        expectedEndAtMs,
        reason,
        ...by,
      }),
    }),
    verbRoute(deps, form, {
      suffix: 'close',
      summary: 'Close a need: every grant that cites it ends.',
      description: 'Requires a reason. A closed need cannot be reopened.',
      access: keepers,
      body: z.strictObject({ reason: reasonText }),
      message: ({ reason }, by) => ({ type: 'close', reason, ...by }),
    }),
  ]
}
