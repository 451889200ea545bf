/** What every governance entity keeps and shows of its own changes. */
import { system, type Author } from '../../../proto/access/author.ts'
import type { AccessState, SecondSignature } from '../../../proto/access/common.ts'

interface Birth<Id extends string, Tenant extends string> {
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
}: Birth<Id, Tenant>) => ({
  id,
  tenant,
  version: 1,
  createdAtMs,
  createdBy: by,
  updatedAtMs: createdAtMs,
  updatedBy: by,
})

/** An event that changes an entity. A deadline has no author: the service's clock is named. */
export interface Change {
  readonly at: number
  readonly by?: Author
}

/** Every change that the view shows has a version of its own: it is the ETag. */
export const changedBy = (
  { version }: AccessState,
  { at, by = system('clock') }: Change,
): Pick<AccessState, 'version' | 'updatedAtMs' | 'updatedBy'> => ({
  version: version + 1,
  updatedAtMs: at,
  updatedBy: by,
})

/** The part of the view that all entities have. */
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

/** `firstIds`: who has decided so far. Admission lets one of them sign alone as single operator. */
export const secondSignature = (
  by: Author,
  atMs: number,
  firstIds: readonly string[],
): SecondSignature => ({ by, atMs, ...(firstIds.includes(by.id) && { selfReviewed: true }) })
