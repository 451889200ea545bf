/** An access that is limited to one custom view; the rest of the view's area is not accessible. */
import { customAreaOf, type AreaKey } from '../../../proto/access/areas/areas.ts'
import { customIdOf, type CustomDefinition } from '../../../proto/access/changes/custom.ts'
import type { Permission } from '../../../proto/access/permissions.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { requirePermission, type GrantedAccess } from '../gate/access.ts'
import type { AccessChain } from '../gate/chain.ts'

export interface CustomAccess {
  readonly access: GrantedAccess
  readonly view: CustomDefinition
}

/** Throws `insufficient_scope`, or `not_found` if the view does not exist or is retired. */
export function withCustomView(
  chain: Pick<AccessChain, 'get'>,
  access: GrantedAccess,
  slug: string,
): CustomAccess {
  const found = chain.get('custom', customIdOf(access.clientId, slug))
  if (!found || found.status === 'retired') throw noCustomView()
  const { definition } = found
  const permission = permissionWithin(
    definition,
    requirePermission(access, customAreaOf(slug), 'read'),
  )
  return { access: { ...access, permissions: [permission] }, view: definition }
}

function permissionWithin(
  { source_area: area, fields, where }: CustomDefinition,
  asked: Permission,
): Permission<AreaKey> {
  const shown = asked.fields ? fields.filter((name) => asked.fields!.includes(name)) : fields
  return { area, actions: ['read'], fields: shown, where: [...where, ...(asked.where ?? [])] }
}

export const noCustomView = () =>
  new ServiceError(
    'not_found',
    'There is no such view; GET /v1/areas lists the views that you may read.',
  )
