/**
 * A record of an area, stored in KV `records` under `<client>.<area>.<id>`. The value repeats the
 * owner and names who changed it last, because the audit and events are derived from it.
 */
import type { AreaKey } from './areas.ts'
import type { RecordFields } from './define-area.ts'
import type { Author } from '../author.ts'
import type { ChangeId, ClientId, GrantId, NeedId, TokenId } from '../ids.ts'

export type RecordAction = 'create' | 'update' | 'delete' | 'import'

/** Who changed a record, and through which interface. */
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
  /** Names of the changed fields, never their values. */
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
  /** Set on a tombstone, which has no fields. */
  readonly deletedAtMs?: number
  /** On a tombstone: what its past values use, estimated; absent in those of older versions. */
  readonly pastBytes?: number
  readonly fields: RecordFields
  /** The last managed changes that wrote it, the newest last. */
  readonly changes?: readonly { readonly id: ChangeId; readonly version: number }[]
  readonly _m: RecordChange
}
