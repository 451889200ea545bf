/** A record as its caller sees it: the permitted fields, with times in RFC 3339. */
import {
  commonFields,
  commonSorts,
  type AreaDefinition,
} from '../../../proto/access/areas/define-area.ts'
import type { Permission } from '../../../proto/access/permissions.ts'
import type { StoredRecord } from '../../../proto/access/areas/record.ts'

const iso = (ms: number): string => new Date(ms).toISOString()

export type RecordJson = Readonly<Record<string, unknown>>

/** Visible with every permission. The author of a record is a field like any other. */
const alwaysSeen = ['id', 'version', ...commonSorts] as const

export function visibleFields(
  { fieldNames }: AreaDefinition,
  { fields }: Pick<Permission, 'fields'>,
): readonly string[] {
  const all = [...commonFields, ...fieldNames]
  if (!fields) return all
  return all.filter((name) => alwaysSeen.some((one) => one === name) || fields.includes(name))
}

export function toRecordJson(record: StoredRecord, names: readonly string[]): RecordJson {
  const common: RecordJson = {
    id: record.id,
    version: record.version,
    created_at: iso(record.createdAtMs),
    created_by: record.createdBy,
    updated_at: iso(record.updatedAtMs),
    updated_by: record.updatedBy,
  }
  // Common fields come last, so that no field of an area can replace one.
  const all: RecordJson = { ...record.fields, ...common }
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(all, name)).map((name) => [name, all[name]]),
  )
}
