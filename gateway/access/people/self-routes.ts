import { z } from 'zod'
import {
  areaGroups,
  areaKeys,
  areaRules,
  customAreaOf,
  areaRulesOf,
  type AreaAction,
  type AreaGroup,
  type PermittedArea,
} from '../../../proto/access/areas/areas.ts'
import { isOpenThrough } from '../../../proto/access/engagement/scope.ts'
import type { Permission } from '../../../proto/access/permissions.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { jsonRoute, type Route } from '../../routing/route.ts'
import type { Authorizer } from '../gate/authorize.ts'
import {
  callerTenantOf,
  type AccessCaller,
  type TokenCaller,
} from '../../routing/auth/access-caller.ts'
import type { AccessChain } from '../gate/chain.ts'
import {
  dataJson,
  isoTime,
  permissionData,
  permissionJson,
  timeJson,
} from '../../routing/schemas/access-json.ts'
import { anyoneRule } from '../../routing/auth/access-rule.ts'

export interface SelfRouteDeps {
  readonly chain: AccessChain
  readonly authorizer: Authorizer
}

const accessJson = dataJson(
  z.object({
    token: z.object({ id: z.string(), name: z.string(), hint: z.string(), expires_at: timeJson }),
    permissions: z
      .array(permissionJson)
      .describe('What is allowed now: what token, grant and service scope have in common.'),
    ends_at: timeJson,
    path: z.string(),
    emergency: z.boolean(),
    client: z.object({ id: z.string(), name: z.string() }),
    scope: z.object({ id: z.string(), name: z.string() }),
    need: z.object({ id: z.string(), title: z.string(), purpose: z.string() }),
    reviewed_by: z.array(z.object({ role: z.string(), at: timeJson })),
  }),
)

const areasJson = dataJson(
  z.array(
    z.object({
      group: z.string(),
      label: z.string(),
      areas: z.array(
        z.object({
          area: z.string(),
          label: z.string(),
          sensitivity: z.string(),
          actions: z.array(z.string()).describe('The actions that can be granted.'),
          granted: z.array(z.string()).describe('The actions that this access includes now.'),
        }),
      ),
    }),
  ),
)

export function selfRoutes({ chain, authorizer }: SelfRouteDeps): readonly Route[] {
  return [
    jsonRoute({
      method: 'GET',
      path: '/v1/access',
      summary: 'Get what this token may do, until when, and why.',
      description:
        'The permissions of the whole chain at this moment, with the need behind them and the end.',
      auth: 'access',
      access: anyoneRule,
      response: accessJson,
      handler({ caller }) {
        if (caller.kind !== 'token') {
          throw new ServiceError('forbidden', 'This route is for tokens; see GET /v1/grants.')
        }
        return { data: why(caller, chain, authorizer.permissions(caller)) }
      },
    }),
    jsonRoute({
      method: 'GET',
      path: '/v1/areas',
      summary:
        'List the areas of the platform in their groups, and custom views, with what is granted.',
      description:
        'For building a menu: areas without a grant are listed too, with an empty `granted`.',
      auth: 'access',
      access: anyoneRule,
      response: areasJson,
      handler({ caller }) {
        const held = heldBy(caller, chain, authorizer)
        const granted = (area: string) => [
          ...new Set(held.filter((one) => one.area === area).flatMap(({ actions }) => actions)),
        ]
        const groups = Object.entries(areaGroups) as [AreaGroup, (typeof areaGroups)[AreaGroup]][]
        const custom = customOf(caller, chain, granted)
        const data = groups.map(([group, { label, areas }]) => ({
          group,
          label,
          areas: areaKeys
            .filter((key) => areas.some((area) => area === key))
            .map((area) => ({
              area,
              label: areaRules[area].label,
              sensitivity: areaRules[area].sensitivity,
              actions: [...areaRules[area].actions],
              granted: granted(area),
            })),
        }))
        return { data: custom.areas.length > 0 ? [...data, custom] : data }
      },
    }),
  ]
}

function why(caller: TokenCaller, chain: AccessChain, permissions: readonly Permission[]) {
  const { grant, token } = caller
  const client = chain.get('client', grant.tenant)
  const scope = chain.get('scope', grant.scopeId)
  const need = chain.get('need', grant.needId)
  const { id, name, hint } = token
  return {
    token: { id, name, hint, expires_at: isoTime(token.expiresAtMs) },
    permissions: permissions.map(permissionData),
    ends_at: isoTime(Math.min(grant.endsAtMs, token.expiresAtMs)),
    path: grant.path,
    emergency: grant.emergency,
    client: { id: grant.tenant, name: client?.name ?? '' },
    scope: { id: grant.scopeId, name: scope?.current?.name ?? '' },
    need: { id: grant.needId, title: need?.title ?? '', purpose: need?.purpose ?? '' },
    reviewed_by: grant.approvers.map(({ slot, atMs }) => ({ role: slot, at: isoTime(atMs) })),
  }
}

/** For a person, the permissions of all their grants. */
function heldBy(
  caller: AccessCaller,
  chain: AccessChain,
  authorizer: Authorizer,
): readonly Permission[] {
  if (caller.kind === 'token') return authorizer.permissions(caller)
  const { id } = caller.person
  const held = chain
    .grantsFor(id)
    .filter(({ subject }) => subject.kind === 'person')
    .flatMap((grant) =>
      authorizer.held(grant).filter(({ area }) => isOpenThrough(grant.path, area)),
    )
  return held
}

/** The custom views of the caller's client; for programs, only those they may read. */
function customOf(
  caller: AccessCaller,
  chain: AccessChain,
  granted: (area: PermittedArea) => AreaAction[],
) {
  const tenant = callerTenantOf(caller)
  const views = tenant === undefined ? [] : chain.list('custom', tenant)
  const areas = views
    .filter(({ status }) => status === 'active')
    .map(({ definition: { slug, title } }) => {
      const area = customAreaOf(slug)
      const { sensitivity, actions } = areaRulesOf(area)
      return { area, label: title, sensitivity, actions: [...actions], granted: granted(area) }
    })
    .filter((view) => caller.kind === 'person' || view.granted.length > 0)
  return { group: 'custom_access', label: 'Custom access', areas }
}
