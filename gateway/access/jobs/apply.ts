/**
 * Applies the proposals of an enrichment. This is a separate, explicit request that needs write
 * permission for the subject. Repeated after a crash, it finds the values written, and marks them
 * as applied once.
 */
import { z } from 'zod'
import { canonicalize } from 'json-canonicalize'
import type { AreaAction, AreaKey } from '../../../proto/access/areas/areas.ts'
import type { RecordFields } from '../../../proto/access/areas/define-area.ts'
import { areaDefinitions } from '../../../proto/access/areas/registry.ts'
import { authorName } from '../../../proto/access/author.ts'
import type { ChangeOrigin, StoredRecord } from '../../../proto/access/areas/record.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { changedRecord } from '../../../runtime/access/records/change.ts'
import { invalidFields, unknownField } from '../../../runtime/access/records/validate-fields.ts'
import type { RevisionedRecord, RecordStore } from '../../../runtime/access/records/record-store.ts'
import { isRecordVisible } from '../../../runtime/access/records/index/visible.ts'
import { StoreConflict } from '../../../runtime/store/store.ts'
import { requirePermission, type GrantedAccess } from '../gate/access.ts'

export const applyBody = z.strictObject({ fields: z.array(z.string()).min(1).max(100) })

const proposals = z.array(
  z.looseObject({ field: z.string(), value: z.unknown(), current: z.unknown().optional() }),
)
const applied = z.array(z.object({ field: z.string(), at: z.string(), by: z.string() }))
const subject = z.object({ area: z.custom<AreaKey>(), id: z.string() })

export interface ApplyOrder {
  readonly store: RecordStore
  readonly enrichment: RevisionedRecord
  readonly fields: readonly string[]
  readonly origin: ChangeOrigin
  readonly authorize: (area: AreaKey, action: AreaAction) => GrantedAccess
  readonly nowMs: number
}

/** Returns both records as they are now. */
export async function applyProposals(order: ApplyOrder): Promise<readonly RevisionedRecord[]> {
  const { store, enrichment, fields, origin, nowMs } = order
  const { record } = enrichment
  if (record.fields['status'] !== 'completed') {
    const message = 'Only the proposals of a completed enrichment can be applied.'
    const status = String(record.fields['status'])
    throw new ServiceError('invalid_transition', message, { status, allowed: [] })
  }
  const { area, id } = subject.parse(record.fields['subject'])
  const access = order.authorize(area, 'write')
  const permission = requirePermission(access, area, 'write')
  const held = await store.get(access.clientId, area, id)
  if (!held || !isRecordVisible(permission, held.record)) {
    throw new ServiceError(
      'not_found',
      'The subject of this enrichment does not exist, or this access does not include it.',
    )
  }
  const known = proposals.parse(record.fields['proposals'] ?? [])
  const patch = patchOf(fields, known, held.record, permission.fields)
  const next = changedRecord(held.record, { ...held.record.fields, ...patch }, origin, nowMs)
  if (!isRecordVisible(permission, next)) {
    const text = 'would leave the record outside what this access may write'
    throw invalidFields([{ pointer: '/fields', text }])
  }
  const changed = next === held.record ? held : await replaceRecord(store, next, held.revision)
  const before = applied.parse(record.fields['applied'] ?? [])
  const at = new Date(nowMs).toISOString()
  const added = fields
    .filter((field) => !before.some((one) => one.field === field))
    .map((field) => ({ field, at, by: authorName(origin.by) }))
  const marked = changedRecord(
    record,
    { ...record.fields, applied: [...before, ...added] },
    origin,
    nowMs,
  )
  const current =
    marked === record ? enrichment : await replaceRecord(store, marked, enrichment.revision)
  return [current, changed]
}

function patchOf(
  fields: readonly string[],
  known: z.output<typeof proposals>,
  { area, fields: now }: StoredRecord,
  allowed: readonly string[] | undefined,
): RecordFields {
  const writable = Object.keys(areaDefinitions[area].fields.shape)
  const patch = fields.map((field, i) => {
    const proposal = known.find((one) => one.field === field)
    if (!proposal) {
      const text = 'must be a field that the enrichment has a proposal for'
      throw invalidFields([{ pointer: `/fields/${i}`, text }])
    }
    const may = writable.includes(field) && (allowed?.includes(field) ?? true)
    if (!may) throw unknownField(field, 'write', allowed ?? writable)
    const isDone = isSame(now[field], proposal.value)
    if (!isDone && !isSame(now[field], proposal.current)) {
      const message = `${field} has changed since this was proposed; start another enrichment.`
      throw new ServiceError('conflict', message, { field })
    }
    return [field, proposal.value] as const
  })
  return Object.fromEntries(patch)
}

const isSame = (a: unknown, b: unknown) =>
  a === b || (a !== undefined && b !== undefined && canonicalize(a) === canonicalize(b))

async function replaceRecord(store: RecordStore, record: StoredRecord, revision: number) {
  try {
    return await store.replace(record, revision)
  } catch (error) {
    if (!(error instanceof StoreConflict)) throw error
    throw new ServiceError(
      'conflict',
      'The record is being changed by others; try again.',
      {},
      error,
    )
  }
}
