/** What a request may do, after its credential and the whole chain were checked. */
import type { AreaAction, PermittedArea } from '../../../proto/access/areas/areas.ts'
import type { Author } from '../../../proto/access/author.ts'
import type { ClientId, GrantId, NeedId, TokenId } from '../../../proto/access/ids.ts'
import type { Permission } from '../../../proto/access/permissions.ts'
import { ServiceError } from '../../../proto/errors.ts'

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
