/** What a request may do, after its credential and the whole chain were checked. */
import type { AreaAction, AreaKey, PermittedArea } from '../../../proto/access/areas/areas.ts'
import type { Author } from '../../../proto/access/author.ts'
import type { ClientId, GrantId, NeedId, TokenId } from '../../../proto/access/ids.ts'
import type { Permission } from '../../../proto/access/permissions.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { AccessCaller } from '../../routing/auth/access-caller.ts'
import type { GrantCall, GrantRule } from '../../routing/auth/access-rule.ts'

/**
 * Created only by authorization. Everything that a request does afterwards is limited to this
 * client.
 */
export interface GrantedAccess {
  readonly clientId: ClientId
  /** The intersection of the token's, the grant's and the scope's permissions at this moment. */
  readonly permissions: readonly Permission[]
  readonly author: Author
  readonly grantId?: GrantId
  readonly needId?: NeedId
  readonly tokenId?: TokenId
  readonly requestId?: string
}

declare const grantedUse: unique symbol

/** An access that the rule of a route has checked for this action on this area. */
export interface Granted<A extends PermittedArea, X extends AreaAction> extends GrantedAccess {
  readonly [grantedUse]: `${A}:${X}`
}

/** The caller's access; throws the error that refuses it. */
export type AuthorizeCall = (
  call: GrantCall,
  area: AreaKey,
  action: AreaAction,
) => GrantedAccess | Promise<GrantedAccess>
export type AuthorizeCaller = (
  caller: AccessCaller,
  area: AreaKey,
  action: AreaAction,
) => GrantedAccess

/** The rule of a route that takes `action` on the records of `area`. */
export const granting = <A extends AreaKey, X extends AreaAction>(
  authorize: AuthorizeCall,
  area: A,
  action: X,
): GrantRule<Granted<A, X>> => ({
  who: 'anyone',
  grant: async (call) => (await authorize(call, area, action)) as Granted<A, X>,
})

/** The same for tokens only: people have no standing access. */
export const grantingCaller = <A extends AreaKey, X extends AreaAction>(
  authorize: AuthorizeCaller,
  area: A,
  action: X,
): GrantRule<Granted<A, X>> =>
  granting(({ caller }, ...asked) => authorize(caller, ...asked), area, action)

export function permissionFor<A extends PermittedArea>(
  { permissions }: GrantedAccess,
  area: A,
  action: AreaAction,
): Permission<A> | undefined {
  const isOfArea = (one: Permission): one is Permission<A> => one.area === area
  return permissions.filter(isOfArea).find(({ actions }) => actions.includes(action))
}

export function requirePermission<A extends PermittedArea>(
  access: GrantedAccess,
  area: A,
  action: AreaAction,
): Permission<A> {
  const permission = permissionFor(access, area, action)
  if (permission) return permission
  const scope = `${area}:${action}`
  const message = `This access does not include ${scope}; GET /v1/access returns what it includes.`
  throw new ServiceError('insufficient_scope', message, { scope })
}
