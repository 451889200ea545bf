/**
 * A record of an area as KV `records` holds it, under `<client>.<area>.<id>`. The value says once
 * more whose it is, and who changed it last: the audit and events are derived from it.
 */
import type { AreaKey } from './areas.ts'
import type { RecordFields } from './areas/define-area.ts'
import type { Author } from './author.ts'
import type { ChangeId, ClientId, GrantId, NeedId, TokenId } from './ids.ts'

export type RecordAction = 'create' | 'update' | 'delete' | 'import'

/** Who changed a record, through what. */
export interface ChangeOrigin {
  readonly by: Author
  readonly requestId?: string
  readonly grantId?: GrantId
  readonly needId?: NeedId
  readonly tokenId?: TokenId
  /** The managed change that wrote it. */
  readonly changeId?: ChangeId
}

export interface RecordChange extends ChangeOrigin {
  /** Wall-clock ms. */
  readonly at: number
  readonly action: RecordAction
  /** Names of the fields that changed, never their values. */
  readonly changed: readonly string[]
}

export interface StoredRecord {
  readonly v: 1
  readonly client: ClientId
  readonly area: AreaKey
  readonly id: string
  /** 1, 2, 3 …: the ETag. */
  readonly version: number
  readonly createdAtMs: number
  readonly createdBy: string
  readonly updatedAtMs: number
  readonly updatedBy: string
  /** Of a tombstone, which has no fields any more. */
  readonly deletedAtMs?: number
  readonly fields: RecordFields
  /** The last managed changes that have written it, the newest last. */
  readonly changes?: readonly { readonly id: ChangeId; readonly version: number }[]
  readonly _m: RecordChange
}
