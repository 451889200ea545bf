/** `GET /v1/access/check`: whether a person or a token may do something now, and why. */
import { z } from 'zod'
import {
  areaActions,
  isPermittedArea,
  type PermittedArea,
} from '../../../proto/access/areas/areas.ts'
import type { GrantView, TokenView } from '../../../proto/access/grants/grant.ts'
import { accessId, isAccessId } from '../../../proto/access/ids.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import { jsonRoute, type Route } from '../../routing/route.ts'
import { callerTenantOf, type AccessCaller } from '../../routing/auth/access-caller.ts'
import type { AccessChain } from '../gate/chain.ts'
import { explainAccess, type AccessExplanation } from './explain.ts'
import { unknownEntity } from './governance.ts'
import {
  dataJson,
  isoTime,
  permissionData,
  permissionJson,
  timeJson,
} from '../../routing/schemas/access-json.ts'
import { onlyRoles } from '../../routing/auth/access-rule.ts'

export interface AccessCheckDeps {
  readonly chain: AccessChain
  readonly clock: Clock
}

const query = z.strictObject({
  subject: z
    .union([accessId('person'), accessId('token')])
    .describe('A person (usr_…), or a token (tok_…).'),
  area: z.string().refine((text): text is PermittedArea => isPermittedArea(text), {
    message: 'must be an area, custom/<slug> or changes',
  }),
  action: z.enum(areaActions),
  client_id: accessId('client').optional().describe('Only grants of this client.'),
})

const throughJson = z.object({
  grant_id: z.string(),
  client_id: z.string(),
  path: z.string(),
  allowed: z.boolean(),
  because: z.string(),
  permission: permissionJson
    .optional()
    .describe('What is allowed, with its fields and conditions.'),
  cidrs: z
    .array(z.string())
    .describe('The networks from which access is allowed. If empty, any network.'),
  ends_at: timeJson,
})
const checkJson = z.object({
  subject: z.string(),
  area: z.string(),
  action: z.string(),
  allowed: z.boolean(),
  because: z.string(),
  through: z
    .array(throughJson)
    .describe('Each grant of the subject; those that allow the action come first.'),
})

export const accessCheckRoutes = ({ chain, clock }: AccessCheckDeps): readonly Route[] => [
  jsonRoute({
    method: 'GET',
    path: '/v1/access/check',
    summary: 'Check whether a person or a token may perform an action on an area now, and why.',
    description: '`because` names the first link of the chain that refuses.',
    auth: 'access',
    access: onlyRoles('admin', 'reviewer', 'auditor', 'owner'),
    query,
    response: dataJson(checkJson),
    handler({ caller, query: { subject, area, action, client_id: clientId } }) {
      const nowMs = clock.now()
      const found = heldOf(chain, caller, subject)
        .filter(({ grant }) => clientId === undefined || grant.tenant === clientId)
        .map((one) => explainAccess(chain, one, { area, action }, nowMs))
      const through = [...found.filter(isAllowed), ...found.filter((one) => !isAllowed(one))]
      const [first] = through
      return {
        data: {
          ...{ subject, area, action },
          allowed: first !== undefined && isAllowed(first),
          because: first?.because ?? 'The subject holds no grant.',
          through: through.map(throughData),
        },
      }
    },
  }),
]

const isAllowed = ({ permission }: AccessExplanation): boolean => permission !== undefined

const throughData = ({ grant, permission, because }: AccessExplanation) => ({
  ...{ grant_id: grant.id, client_id: grant.tenant, path: grant.path },
  ...{ allowed: permission !== undefined, because, cidrs: [...grant.cidrs] },
  ...(permission && { permission: permissionData(permission) }),
  ends_at: isoTime(grant.endsAtMs),
})

interface Held {
  readonly grant: GrantView
  readonly token?: TokenView
}

/**
 * The subject's grants of the caller's client, newest first. Throws `not_found` for unknown
 * subjects.
 */
function heldOf(chain: AccessChain, caller: AccessCaller, subject: string): readonly Held[] {
  const own = callerTenantOf(caller)
  const isSeen = ({ tenant }: GrantView) => own === undefined || tenant === own
  if (isAccessId('token', subject)) {
    const grants = chain.list('grant', own)
    const grant = grants.find(({ tokens }) => tokens.some(({ id }) => id === subject))
    const token = grant?.tokens.find(({ id }) => id === subject)
    if (!grant || !token) throw unknownEntity('token')
    return [{ grant, token }]
  }
  const person = chain.get('person', subject)
  const grants = chain.grantsFor(subject).filter(isSeen)
  // A client knows the staff members who hold a grant of it.
  const isKnown = person && (own === undefined || person.tenant === own || grants.length > 0)
  if (!isKnown) throw unknownEntity('person')
  return [...grants].reverse().map((grant) => ({ grant }))
}
