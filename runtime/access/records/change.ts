/** Computes the next version of a record. Pure: checks and storage are done elsewhere. */
import { canonicalize } from 'json-canonicalize'
import type { AreaKey } from '../../../proto/access/areas/areas.ts'
import type { RecordFields } from '../../../proto/access/areas/define-area.ts'
import { areaDefinitions } from '../../../proto/access/areas/registry.ts'
import { authorName } from '../../../proto/access/author.ts'
import type { ChangeId, ClientId } from '../../../proto/access/ids.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type {
  ChangeOrigin,
  RecordAction,
  StoredRecord,
} from '../../../proto/access/areas/record.ts'
import { encode } from '../../../proto/codec.ts'
import { checkOneOf, validateFields } from './validate-fields.ts'

export interface NewRecord {
  readonly client: ClientId
  readonly area: AreaKey
  readonly id: string
  /** All fields of the record, including read-only ones if the author may set them. */
  readonly fields: RecordFields
  readonly action: Extract<RecordAction, 'create' | 'import'>
  readonly createdAtMs?: number
}

/** Creates version 1. Throws what `validateFields` throws. */
export function createdRecord(order: NewRecord, origin: ChangeOrigin, nowMs: number): StoredRecord {
  const { client, area, id, action, createdAtMs = nowMs } = order
  const fitted = validateFields(areaDefinitions[area].record, order.fields)
  checkOneOf(areaDefinitions[area], fitted)
  const fields = action === 'create' ? withDerivedFields(area, fitted, {}, nowMs) : fitted
  const by = authorName(origin.by)
  return {
    v: 1,
    client,
    area,
    id,
    version: 1,
    createdAtMs,
    createdBy: by,
    updatedAtMs: nowMs,
    updatedBy: by,
    fields,
    _m: { ...origin, at: nowMs, action, changed: Object.keys(fields) },
  }
}

/** The record with the new fields, or the same object if nothing differs. */
export function changedRecord(
  record: StoredRecord,
  next: RecordFields,
  origin: ChangeOrigin,
  nowMs: number,
): StoredRecord {
  const { area, fields: before } = record
  const fitted = validateFields(areaDefinitions[area].record, next)
  if (changedFieldNames(before, fitted).length === 0) return record
  checkOneOf(areaDefinitions[area], fitted, before)
  const fields = withDerivedFields(area, fitted, before, nowMs)
  return {
    ...following(record, origin, nowMs),
    fields,
    _m: { ...origin, at: nowMs, action: 'update', changed: changedFieldNames(before, fields) },
  }
}

/** What is kept of a deleted record: who deleted it, but none of its fields. */
export function tombstoneOf(
  record: StoredRecord,
  origin: ChangeOrigin,
  nowMs: number,
): StoredRecord {
  const pastBytes = encode(record).byteLength * Math.min(record.version, limits.recordHistory)
  return {
    ...following(record, origin, nowMs),
    ...{ deletedAtMs: nowMs, pastBytes },
    fields: {},
    _m: { ...origin, at: nowMs, action: 'delete', changed: Object.keys(record.fields) },
  }
}

/** Adds a change to the record's list of changes; later writes by other authors keep the list. */
export function byChange(record: StoredRecord, id: ChangeId): StoredRecord {
  const { version, changes = [] } = record
  return { ...record, changes: [...changes, { id, version }].slice(-limits.changesKeptOnRecord) }
}

function following(record: StoredRecord, { by }: ChangeOrigin, nowMs: number) {
  const updatedBy = authorName(by)
  return { ...record, version: record.version + 1, updatedAtMs: nowMs, updatedBy }
}

function withDerivedFields(
  area: AreaKey,
  after: RecordFields,
  before: RecordFields,
  nowMs: number,
): RecordFields {
  const more = areaDefinitions[area].derive(after, before, new Date(nowMs).toISOString())
  const fields = Object.entries({ ...after, ...more })
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

/** Names of the fields that differ. */
export function changedFieldNames(before: RecordFields, after: RecordFields): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => !isSame(before[name], after[name]))
}

const isSame = (a: unknown, b: unknown) =>
  a === b || (a !== undefined && b !== undefined && canonicalize(a) === canonicalize(b))
