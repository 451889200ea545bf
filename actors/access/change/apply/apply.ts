/**
 * Writes the decided work of a change by compare-and-set. The written record names the change, so
 * that a repeated attempt after a crash finds what the previous one has written.
 */
import { defined } from '../../../../proto/defined.ts'
import type { Author } from '../../../../proto/access/author.ts'
import { newRecordId } from '../../../../proto/access/areas/prefixes.ts'
import type { RecordFields } from '../../../../proto/access/areas/define-area.ts'
import type { TechnicalArea } from '../../../../proto/access/areas/areas.ts'
import { customAccess } from '../../../../proto/access/changes/change-terms.ts'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import type { ChangeOrigin, StoredRecord } from '../../../../proto/access/areas/record.ts'
import { idLike } from '../../../../proto/ids.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import {
  byChange,
  changedRecord,
  createdRecord,
  tombstoneOf,
} from '../../../../runtime/access/records/change.ts'
import { mergePatch } from '../../../../runtime/access/records/merge-patch.ts'
import { retryConflicts } from '../../../../runtime/store/retry-conflicts.ts'
import { StoreConflict } from '../../../../runtime/store/store.ts'
import { applyToCustom } from './apply-custom.ts'
import { differingFields, readChangeTarget } from './targets.ts'
import type { ChangeContext } from '../context.ts'
import type { ChangeEffectDeps } from '../deps.ts'
import { type ApplyOutcome, conflictOutcome } from './outcome.ts'

export async function applyChange(
  deps: ChangeEffectDeps,
  change: ChangeContext,
  by: Author,
): Promise<ApplyOutcome> {
  const { work } = change.terms
  if (work.does === 'nothing') return { type: 'applied', to: null }
  if (work.on === customAccess) return applyToCustom(deps, change, by)
  const { on } = work
  const origin = originOf(change, by)
  if (work.does === 'create') return make(deps, change, on, work.patch, origin)
  const { id } = work
  const touched = work.does === 'update' ? Object.keys(work.patch) : []
  const write = async (): Promise<ApplyOutcome> => {
    const found = await readChangeTarget(deps, change.tenant, on, id)
    const mine = found?.changes.find((one) => one.id === change.id)
    if (mine) return { type: 'applied', to: { id, version: mine.version } }
    if (!found?.held || found.isGone) return conflictOutcome(found?.version ?? work.version, [])
    const fields = change.seen ? differingFields(change.seen, found, on, touched) : []
    if (fields.length > 0) return conflictOutcome(found.version, fields)
    const { record, revision } = found.held
    const nowMs = deps.clock.now()
    const next =
      work.does === 'delete'
        ? tombstoneOf(record, origin, nowMs)
        : changedRecord(record, mergePatch(record.fields, work.patch), origin, nowMs)
    // The record already has the decided content.
    if (next === record) return { type: 'applied', to: { id, version: record.version } }
    await deps.records.replace(byChange(next, change.id), revision)
    return { type: 'applied', to: { id, version: next.version } }
  }
  const message = 'This record is being changed by others; try again in a moment.'
  const busy = (cause: StoreConflict) => new ServiceError('busy', message, {}, cause)
  return retryConflicts(limits.recordWriteTries, write, busy)
}

/** The record's id is derived from the change's id, so a repeat creates the same record. */
async function make(
  { records, clock }: ChangeEffectDeps,
  { id: changeId, tenant: client }: ChangeContext,
  area: TechnicalArea,
  patch: RecordFields,
  origin: ChangeOrigin,
): Promise<ApplyOutcome> {
  const [prefix = ''] = newRecordId(area).split('_')
  const id = idLike(prefix, changeId)
  const own = area === 'deployments' ? { change_id: changeId } : {}
  const fields = { ...mergePatch({}, patch), ...own }
  const nowMs = clock.now()
  const record: StoredRecord = createdRecord(
    { client, area, id, fields, action: 'create' },
    origin,
    nowMs,
  )
  try {
    await records.create(byChange(record, changeId))
  } catch (error) {
    // An earlier attempt has created it: the id is derived from this change alone.
    if (!(error instanceof StoreConflict)) throw error
  }
  return { type: 'applied', to: { id, version: record.version } }
}

const originOf = ({ id, terms }: ChangeContext, by: Author): ChangeOrigin => ({
  by,
  needId: terms.needId,
  changeId: id,
  ...defined({ requestId: by.requestId }),
})
