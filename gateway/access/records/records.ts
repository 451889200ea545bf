/**
 * Reads and writes records of the areas for one access. Only the access's client is used; an id of
 * a client is accepted nowhere else. Records and fields that the caller may not see are answered
 * like ones that do not exist.
 */
import { defined } from '../../../proto/defined.ts'
import type { AreaAction, AreaKey } from '../../../proto/access/areas/areas.ts'
import { areaRules } from '../../../proto/access/areas/areas.ts'
import type { RecordFields, RecordOperation } from '../../../proto/access/areas/define-area.ts'
import { newRecordId } from '../../../proto/access/areas/prefixes.ts'
import { areaDefinitions } from '../../../proto/access/areas/registry.ts'
import type { ClientId } from '../../../proto/access/ids.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type { Permission } from '../../../proto/access/permissions.ts'
import type { ChangeOrigin, StoredRecord } from '../../../proto/access/areas/record.ts'
import { ServiceError } from '../../../proto/errors.ts'
import {
  changedRecord,
  createdRecord,
  tombstoneOf,
} from '../../../runtime/access/records/change.ts'
import type { Cursors } from '../../../runtime/access/records/index/cursor.ts'
import {
  recordHistoryOf,
  storedVersions,
  type RecordVersion,
} from '../../../runtime/access/records/history.ts'
import { invalidFields, unknownField } from '../../../runtime/access/records/validate-fields.ts'
import { listRecords } from '../../../runtime/access/records/index/list.ts'
import { isRecordObject, mergePatch } from '../../../runtime/access/records/merge-patch.ts'
import { pipelinesOf, type Pipeline } from '../../../runtime/access/records/index/pipelines.ts'
import type { RecordIndexes } from '../../../runtime/access/records/index/record-indexes.ts'
import type { RevisionedRecord, RecordStore } from '../../../runtime/access/records/record-store.ts'
import {
  checkReferences,
  type RecordReference,
} from '../../../runtime/access/records/references.ts'
import { isRecordVisible } from '../../../runtime/access/records/index/visible.ts'
import { retryConflicts } from '../../../runtime/store/retry-conflicts.ts'
import { StoreConflict, type LogStore } from '../../../runtime/store/store.ts'
import { permissionFor, requirePermission, type GrantedAccess } from '../gate/access.ts'
import { readListQuery } from './list-query.ts'
import type { RecordRoom } from './record-room.ts'
import { noRecord } from './no-record.ts'
import {
  visibleFields,
  toRecordJson,
  type RecordJson,
} from '../../../runtime/access/records/record-json.ts'

export interface RecordsDeps {
  readonly store: RecordStore
  readonly indexes: RecordIndexes
  readonly cursors: Cursors
  readonly room: Pick<RecordRoom, 'admit'>
  /** The stored changes of the bucket `records`. */
  readonly recordChanges: Pick<LogStore, 'read'>
  /** Whether a client's records may refer to this person: a member of the client, or staff. */
  readonly isPersonOf: (client: ClientId, id: string) => Promise<boolean> | boolean
  readonly now: () => number
}

export interface RecordAnswer {
  /** `version` is the ETag. */
  readonly data: RecordJson & { readonly id: string; readonly version: number }
}

export interface RecordList {
  readonly data: readonly RecordJson[]
  readonly page: { readonly has_more: boolean; readonly next_cursor: string | null }
}

/**
 * The version in `If-Match`, or `*`, which only staff may use. Called after the record was found;
 * throws if the header is missing.
 */
export type ExpectedVersion = () => number | '*'

export class Records {
  readonly #deps: RecordsDeps

  constructor(deps: RecordsDeps) {
    this.#deps = deps
  }

  async list(access: GrantedAccess, area: AreaKey, query: URLSearchParams): Promise<RecordList> {
    const permission = requirePermission(access, area, 'read')
    const asked = readListQuery(areaDefinitions[area], permission, query)
    const { records, nextCursor } = await listRecords(this.#deps, access.clientId, asked.query)
    return {
      data: records.map((record) => toRecordJson(record, asked.fields)),
      page: { has_more: nextCursor !== undefined, next_cursor: nextCursor ?? null },
    }
  }

  /**
   * Throws `insufficient_scope`, or `unknown_field` if a needed field is hidden from the caller.
   */
  async pipelines(access: GrantedAccess): Promise<readonly Pipeline[]> {
    const area = 'opportunities'
    const permission = requirePermission(access, area, 'read')
    const seen = visibleFields(areaDefinitions[area], permission)
    const hidden = ['pipeline_id', 'stage_id', 'status'].find((name) => !seen.includes(name))
    if (hidden !== undefined) throw unknownField(hidden, 'show', seen)
    return pipelinesOf(this.#deps.indexes, access.clientId, permission.where ?? [])
  }

  async get(access: GrantedAccess, area: AreaKey, id: string): Promise<RecordAnswer> {
    const permission = requirePermission(access, area, 'read')
    return answer(access, await this.#read(access, permission, id))
  }

  /** The stored versions, newest first. */
  async history(
    access: GrantedAccess,
    area: AreaKey,
    id: string,
  ): Promise<readonly RecordVersion[]> {
    const permission = requirePermission(access, area, 'read')
    const record = await this.#read(access, permission, id)
    return recordHistoryOf(permission, await storedVersions(this.#deps.recordChanges, record))
  }

  async #read(
    access: GrantedAccess,
    permission: Permission<AreaKey>,
    id: string,
  ): Promise<StoredRecord> {
    const record = await this.#deps.indexes.read(access.clientId, permission.area, id)
    if (!record || !isRecordVisible(permission, record)) throw noRecord()
    return record
  }

  /** `id`: of a form, so that sending it twice creates one record. Throws `conflict` then. */
  async create(
    access: GrantedAccess,
    area: AreaKey,
    body: unknown,
    id?: string,
  ): Promise<RecordAnswer> {
    const permission = this.#mayWrite(access, area, 'create')
    const patch = this.#body(permission, body)
    this.#checkRoom(access.clientId)
    this.#deps.room.admit(access.clientId)
    const { now, store, indexes } = this.#deps
    const nowMs = now()
    const record = createdRecord(
      {
        client: access.clientId,
        area,
        id: id ?? newRecordId(area, nowMs),
        fields: mergePatch({}, patch),
        action: 'create',
      },
      changeOriginOf(access),
      nowMs,
    )
    await this.#check(access, permission, {}, record)
    indexes.put(await store.create(record).catch(onConflict))
    return answer(access, record)
  }

  /** A merge patch (RFC 7396). A patch without effect does not change the version. */
  async patch(
    access: GrantedAccess,
    area: AreaKey,
    id: string,
    expected: ExpectedVersion,
    body: unknown,
  ): Promise<RecordAnswer> {
    const permission = this.#mayWrite(access, area, 'patch')
    this.#deps.room.admit(access.clientId)
    const record = await this.#replace(access, permission, id, expected, async (before) => {
      const patch = this.#body(permission, body)
      const fields = mergePatch(before.fields, patch)
      const after = changedRecord(before, fields, changeOriginOf(access), this.#deps.now())
      if (after !== before) await this.#check(access, permission, before.fields, after)
      return after
    })
    return answer(access, record)
  }

  /** Replaces the record with a tombstone, which is kept for 30 days. */
  async remove(
    access: GrantedAccess,
    area: AreaKey,
    id: string,
    expected: ExpectedVersion,
  ): Promise<void> {
    const permission = this.#mayWrite(access, area, 'delete')
    await this.#replace(access, permission, id, expected, (before) =>
      tombstoneOf(before, changeOriginOf(access), this.#deps.now()),
    )
  }

  /**
   * Of several writers of one version, one succeeds; with `*`, a writer retries on the new version.
   */
  async #replace(
    access: GrantedAccess,
    permission: Permission<AreaKey>,
    id: string,
    expected: ExpectedVersion,
    change: (before: StoredRecord) => Promise<StoredRecord> | StoredRecord,
  ): Promise<StoredRecord> {
    const { store, indexes } = this.#deps
    // After a conflict, reads the new version: an expected version then fails, `*` applies to it.
    const write = async () => {
      const held = await store.get(access.clientId, permission.area, id)
      if (!held || !isRecordVisible(permission, held.record)) throw noRecord()
      checkVersion(access, held, expected())
      const next = await change(held.record)
      if (next !== held.record) indexes.put(await store.replace(next, held.revision))
      return next
    }
    return retryConflicts(limits.recordWriteTries, write, busyError)
  }

  #mayWrite(access: GrantedAccess, area: AreaKey, operation: RecordOperation): Permission<AreaKey> {
    const action: AreaAction = operation === 'delete' ? 'delete' : 'write'
    const { operations } = areaDefinitions[area]
    if (operations.includes(operation)) return requirePermission(access, area, action)
    const { label, sensitivity } = areaRules[area]
    requirePermission(access, area, 'read')
    if (sensitivity === 'technical') {
      const message = `${label} can only be changed by a managed change: propose one (POST /v1/changes).`
      throw new ServiceError('change_required', message, { link: '</v1/changes>; rel="edit"' })
    }
    const message = `Records of ${area} cannot be written directly: the service creates them.`
    throw new ServiceError('method_not_allowed', message, { allow: 'GET' })
  }

  #body({ area, fields }: Permission<AreaKey>, body: unknown): RecordFields {
    if (!isRecordObject(body))
      throw new ServiceError('bad_request', 'The body must be a JSON object.')
    const writable = Object.keys(areaDefinitions[area].fields.shape)
    const known = fields ? writable.filter((name) => fields.includes(name)) : writable
    const stranger = Object.keys(body).find((name) => !known.includes(name))
    if (stranger !== undefined) throw unknownField(stranger, 'write', known)
    return body
  }

  async #check(
    access: GrantedAccess,
    permission: Permission<AreaKey>,
    before: RecordFields,
    after: StoredRecord,
  ): Promise<void> {
    if (!isRecordVisible(permission, after)) {
      const fields = (permission.where ?? []).map(({ field }) => `/${field}`)
      const text = 'has a value that this access does not allow'
      throw invalidFields(fields.map((pointer) => ({ pointer, text })))
    }
    const lookup = (reference: RecordReference) => this.#mayReferTo(access, reference)
    await checkReferences(areaDefinitions[after.area], before, after.fields, lookup)
  }

  /** References to records that the caller cannot read are refused, or they would reveal them. */
  async #mayReferTo(access: GrantedAccess, { to, id }: RecordReference): Promise<boolean> {
    if (to === 'person') return this.#deps.isPersonOf(access.clientId, id)
    const permission = permissionFor(access, to, 'read')
    if (!permission) return false
    const record = await this.#deps.indexes.read(access.clientId, to, id)
    return record !== undefined && isRecordVisible(permission, record)
  }

  #checkRoom(client: ClientId): void {
    if ((this.#deps.indexes.sizeOf(client) ?? 0) < limits.recordsPerClient) return
    const message = `A client can have at most ${limits.recordsPerClient} records; delete some first.`
    throw new ServiceError('quota_exceeded', message, { limit: limits.recordsPerClient })
  }
}

function answer(access: GrantedAccess, record: StoredRecord): RecordAnswer {
  const read = permissionFor(access, record.area, 'read')
  // A caller who may write but not read gets only the id and version.
  const names = visibleFields(areaDefinitions[record.area], read ?? { fields: [] })
  const { id, version } = record
  return { data: { ...toRecordJson(record, names), id, version } }
}

export function changeOriginOf({
  author,
  requestId,
  grantId,
  needId,
  tokenId,
}: GrantedAccess): ChangeOrigin {
  return {
    by: author,
    ...defined({ requestId, grantId, needId, tokenId }),
  }
}

function checkVersion(
  { author }: GrantedAccess,
  { record: { version } }: RevisionedRecord,
  expected: number | '*',
): void {
  if (expected === '*') {
    if (author.kind === 'staff') return
    throw new ServiceError(
      'forbidden',
      'Only staff may send If-Match: *; send the ETag that you read.',
    )
  }
  if (expected === version) return
  const message =
    'The record has changed since you read it; read it again, then change that version.'
  throw new ServiceError('precondition_failed', message, { version })
}

/** Ids are new, but for those of forms that are sent twice. */
function onConflict(error: unknown): never {
  if (!(error instanceof StoreConflict)) throw error
  throw new ServiceError('conflict', 'This form was sent before, and its record was created.')
}

function busyError(cause: unknown): ServiceError {
  const message = 'The record is being changed by others; try again in a moment.'
  return new ServiceError('busy', message, {}, cause)
}
