/** State and view fields that every governance entity has. */
import { systemAuthor, type Author } from '../../../proto/access/author.ts'
import type { AccessState, SecondSignature } from '../../../proto/access/common.ts'

interface Creation<Id extends string, Tenant extends string> {
  readonly id: Id
  readonly tenant: Tenant
  readonly createdAtMs: number
  readonly by: Author
}

export const newState = <Id extends string, Tenant extends string>({
  id,
  tenant,
  createdAtMs,
  by,
}: Creation<Id, Tenant>) => ({
  id,
  tenant,
  version: 1,
  createdAtMs,
  createdBy: by,
  updatedAtMs: createdAtMs,
  updatedBy: by,
})

/** An event that changes an entity. A deadline has no author, so the service's clock is named. */
export interface EntityChange {
  readonly at: number
  readonly by?: Author
}

/** Every change of the view increments the version, which is the ETag. */
export const changedBy = (
  { version }: AccessState,
  { at, by = systemAuthor('clock') }: EntityChange,
): Pick<AccessState, 'version' | 'updatedAtMs' | 'updatedBy'> => ({
  version: version + 1,
  updatedAtMs: at,
  updatedBy: by,
})

/** The view fields that all entities share. */
export const stateView = <Id extends string, Tenant extends string>(
  state: AccessState & { readonly id: Id; readonly tenant: Tenant },
) => ({
  id: state.id,
  tenant: state.tenant,
  version: state.version,
  createdAtMs: state.createdAtMs,
  createdBy: state.createdBy.id,
  updatedAtMs: state.updatedAtMs,
  updatedBy: state.updatedBy.id,
})

/**
 * `firstIds`: people who have decided already. The admission lets one of them sign alone only as a
 * single operator.
 */
export const secondSignature = (
  by: Author,
  atMs: number,
  firstIds: readonly string[],
): SecondSignature => ({ by, atMs, ...(firstIds.includes(by.id) && { selfReviewed: true }) })
