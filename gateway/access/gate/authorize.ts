/**
 * Computes what a token may do at this moment: the permissions it was created with, limited by its
 * grant, the path of the grant and the current scope, while its client, need, scope and subject are
 * active. Everything else is denied.
 */
import ipaddr from 'ipaddr.js'
import type { AreaAction, PermittedArea, ScopeName } from '../../../proto/access/areas/areas.ts'
import type { GrantView, TokenView } from '../../../proto/access/grants/grant.ts'
import { intersectAllPermissions, type Permission } from '../../../proto/access/permissions.ts'
import { isOpenThrough, pathUses, type ScopeView } from '../../../proto/access/engagement/scope.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { permissionsInForce, scopeInForce } from '../../../runtime/access/in-force.ts'
import { withReportVisibility } from '../../../runtime/access/report-visibility.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import type { GrantedAccess } from './access.ts'
import type { AccessCaller, PersonCaller, TokenCaller } from '../../routing/auth/access-caller.ts'
import type { AccessChain } from './chain.ts'

interface Held {
  readonly grant: GrantView
  readonly token: TokenView
  readonly scope: ScopeView
  readonly permissions: readonly Permission[]
  /** The permissions, with the additional conditions on reports. */
  readonly seen: readonly Permission[]
}

export interface PortalAccess {
  readonly grant: GrantView
  readonly access: GrantedAccess
}

export class Authorizer {
  readonly #chain: AccessChain
  readonly #clock: Clock
  /**
   * By token view; an entry is valid while the grant and scope it was computed from are the newest.
   */
  readonly #computed = new WeakMap<TokenView, Held>()

  constructor(chain: AccessChain, clock: Clock) {
    this.#chain = chain
    this.#clock = clock
  }

  /**
   * Throws the error that refuses the access. People are always refused, since they have no
   * standing access.
   */
  authorize(caller: AccessCaller, area: PermittedArea, action: AreaAction): GrantedAccess {
    if (caller.kind === 'person') throw noStandingAccessError(area, action)
    const { seen: permissions } = this.#held(caller)
    if (!permissions.some((one) => one.area === area && one.actions.includes(action))) {
      throw insufficientScope(area, action)
    }
    const { clientId, grant, token, requestId } = caller
    const author = { kind: 'integration', id: grant.id, requestId } as const
    const used = { grantId: grant.id, needId: grant.needId, tokenId: token.id }
    return { clientId, permissions, author, ...used, requestId }
  }

  /** Throws if the access is suspended, or not allowed by tokens or from the caller's network. */
  permissions(caller: TokenCaller): readonly Permission[] {
    return this.#held(caller).permissions
  }

  #held(caller: TokenCaller): Held {
    assertHasTokens(caller.grant)
    const scope = scopeInForce(this.#chain, caller.grant, this.#clock.now())
    if (!isFrom(caller.address, caller.grant.cidrs)) {
      throw new ServiceError('network_not_allowed', 'This access is not allowed from your network.')
    }
    return this.#effective(caller, scope)
  }

  /** The permissions of a grant at this moment; empty unless all that it depends on is active. */
  held(grant: GrantView): readonly Permission[] {
    return permissionsInForce(this.#chain, grant, this.#clock.now())
  }

  /**
   * What a person may do in the portal: one access for each of their portal grants, the one that
   * ends last first. Permissions of two grants are never combined.
   */
  inPortal({ person, requestId, address }: PersonCaller): readonly PortalAccess[] {
    const author = { kind: person.kind, id: person.id, roles: person.roles, requestId }
    return this.#chain
      .grantsFor(person.id)
      .filter(({ path }) => path === 'portal')
      .filter(({ cidrs }) => isFrom(address, cidrs))
      .map((grant) => {
        const used = { grantId: grant.id, needId: grant.needId, requestId }
        const permissions = withReportVisibility(this.held(grant))
        return { grant, access: { clientId: grant.tenant, permissions, author, ...used } }
      })
      .filter(({ access }) => access.permissions.length > 0)
      .sort((a, b) => b.grant.endsAtMs - a.grant.endsAtMs)
  }

  #effective({ grant, token }: TokenCaller, scope: ScopeView): Held {
    const known = this.#computed.get(token)
    if (known?.grant === grant && known.scope === scope) return known
    const asked = permissionsOf(token.scopes)
    const permissions = intersectAllPermissions(
      asked,
      grant.permissions,
      scope.current?.areas ?? [],
    ).filter(({ area }) => isOpenThrough(grant.path, area))
    const held = { grant, token, scope, permissions, seen: withReportVisibility(permissions) }
    this.#computed.set(token, held)
    return held
  }
}

/**
 * Combines scopes such as `contacts:read` and `contacts:write` into one permission for the area.
 */
export function permissionsOf(scopes: readonly string[]): readonly Permission[] {
  const byArea = new Map<PermittedArea, AreaAction[]>()
  for (const name of scopes) {
    const [area, action] = name.split(':') as [PermittedArea, AreaAction]
    byArea.set(area, [...(byArea.get(area) ?? []), action])
  }
  return [...byArea].map(([area, actions]) => ({ area, actions }))
}

export function isFrom(address: string, cidrs: readonly string[]): boolean {
  if (cidrs.length === 0) return true
  const parsed = ipaddr.process(address)
  return cidrs.some((cidr) => {
    const [range, bits] = ipaddr.parseCIDR(cidr)
    return parsed.kind() === range.kind() && parsed.match(range, bits)
  })
}

/** Throws `forbidden` if the grant is for a path that tokens do not use. */
export function assertHasTokens({ path }: Pick<GrantView, 'path'>): void {
  if (pathUses[path].tokens) return
  const text = `This grant is for the path ${path}, which tokens cannot use`
  const message = `${text}: request a grant for the path api (POST /v1/access-requests).`
  throw new ServiceError('forbidden', message, { path })
}

export function insufficientScope(area: PermittedArea, action: AreaAction): ServiceError {
  const scope: ScopeName = `${area}:${action}`
  const message = `This access does not include ${scope}; GET /v1/access returns what it includes.`
  const challenge = `Bearer realm="troupe", error="insufficient_scope", scope="${scope}"`
  return new ServiceError('insufficient_scope', message, { scope, challenge })
}

function noStandingAccessError(area: PermittedArea, action: AreaAction): ServiceError {
  const scope: ScopeName = `${area}:${action}`
  const message =
    'People have no standing access to records: use a token of a grant (POST ' +
    '/v1/grants/{id}/tokens).'
  return new ServiceError('insufficient_scope', message, { scope })
}
