/** An access that is limited to one custom view; the rest of the view's area is not accessible. */
import { customAreaOf, type AreaKey } from '../../proto/access/areas.ts'
import { customIdOf, type CustomDefinition } from '../../proto/access/custom.ts'
import type { Permission } from '../../proto/access/permissions.ts'
import { ServiceError } from '../../proto/errors.ts'
import { requirePermission, type Access } from './access.ts'
import type { AccessChain } from './chain.ts'

export interface CustomAccess {
  readonly access: Access
  readonly view: CustomDefinition
}

/** Throws `insufficient_scope`, or `not_found` if the view does not exist or is retired. */
export function throughView(
  chain: Pick<AccessChain, 'get'>,
  access: Access,
  slug: string,
): CustomAccess {
  const found = chain.get('custom', customIdOf(access.clientId, slug))
  if (!found || found.status === 'retired') throw noView()
  const { definition } = found
  const permission = within(definition, requirePermission(access, customAreaOf(slug), 'read'))
  return { access: { ...access, permissions: [permission] }, view: definition }
}

function within(
  { source_area: area, fields, where }: CustomDefinition,
  asked: Permission,
): Permission<AreaKey> {
  const shown = asked.fields ? fields.filter((name) => asked.fields!.includes(name)) : fields
  return { area, actions: ['read'], fields: shown, where: [...where, ...(asked.where ?? [])] }
}

export const noView = () =>
  new ServiceError('not_found', 'There is no such view; GET /v1/areas lists those you see.')
