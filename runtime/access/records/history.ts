/**
 * The stored versions of one record as one access may see them: fields and records that it does not
 * include are hidden in old versions too.
 */
import { defined } from '../../../proto/defined.ts'
import { areaDefinitions } from '../../../proto/access/areas/registry.ts'
import type { Permission } from '../../../proto/access/permissions.ts'
import type { RecordAction, StoredRecord } from '../../../proto/access/areas/record.ts'
import type { AreaKey } from '../../../proto/access/areas/areas.ts'
import { buckets } from '../../../proto/subjects.ts'
import type { LogStore } from '../../store/store.ts'
import { visibleFields } from './record-json.ts'
import { decodeRecord } from './record-store.ts'
import { isRecordVisible } from './index/visible.ts'

/** `from` or `to` is absent if the field was. The first kept version has no known changes. */
export interface FieldChange {
  readonly field: string
  readonly from?: unknown
  readonly to?: unknown
}

export interface RecordVersion {
  readonly version: number
  /** RFC 3339. */
  readonly at: string
  readonly action: RecordAction
  readonly by?: string
  readonly change_id?: string
  readonly changed_fields: readonly string[]
  /** Absent if the previous version is not stored, or not visible to this access. */
  readonly changes?: readonly FieldChange[]
}

/** The stored versions, oldest first. `record` was read before, so its key is valid. */
export async function storedVersions(
  changes: Pick<LogStore, 'read'>,
  { client, area, id }: StoredRecord,
): Promise<readonly StoredRecord[]> {
  const found: StoredRecord[] = []
  for await (const { data } of changes.read(`$KV.${buckets.records}.${client}.${area}.${id}`)) {
    if (data.byteLength === 0) continue
    const version = decodeRecord(data)
    const isIts = version.client === client && version.area === area && version.id === id
    if (isIts) found.push(version)
  }
  return found
}

/** Newest first. */
export function recordHistoryOf(
  permission: Permission<AreaKey>,
  versions: readonly StoredRecord[],
): readonly RecordVersion[] {
  const seen = visibleFields(areaDefinitions[permission.area], permission)
  const visible = versions.flatMap((version, n): RecordVersion[] => {
    if (!isRecordVisible(permission, version)) return []
    const before = versions[n - 1]
    const isKnown = before?.version === version.version - 1 && isRecordVisible(permission, before)
    return [versionOf(version, isKnown ? before : undefined, seen)]
  })
  return visible.reverse()
}

function versionOf(
  record: StoredRecord,
  before: StoredRecord | undefined,
  seen: readonly string[],
): RecordVersion {
  const { version, updatedAtMs, updatedBy, fields, _m: made } = record
  const changed = made.changed.filter((name) => seen.includes(name))
  return {
    version,
    at: new Date(updatedAtMs).toISOString(),
    action: made.action,
    ...(seen.includes('updated_by') && { by: updatedBy }),
    ...defined({ change_id: made.changeId }),
    changed_fields: changed,
    ...(before && {
      changes: changed.map((field) => ({
        field,
        ...(field in before.fields && { from: before.fields[field] }),
        ...(field in fields && { to: fields[field] }),
      })),
    }),
  }
}
