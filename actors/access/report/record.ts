/**
 * The record of a report, for its readers. It has the report's version, so that one ETag is valid
 * for both; a repeat after a crash writes the same record.
 */
import { defined } from '../../../proto/defined.ts'
import type { RecordFields } from '../../../proto/access/areas/define-area.ts'
import { areaDefinitions } from '../../../proto/access/areas/registry.ts'
import { authorName } from '../../../proto/access/author.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type { StoredRecord } from '../../../proto/access/areas/record.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { reportDigest } from '../../../proto/access/reports/report.ts'
import { changedFieldNames } from '../../../runtime/access/records/change.ts'
import { validateFields } from '../../../runtime/access/records/validate-fields.ts'
import type { RecordStore } from '../../../runtime/access/records/record-store.ts'
import { retryConflicts } from '../../../runtime/store/retry-conflicts.ts'
import type { StoreConflict } from '../../../runtime/store/store.ts'
import type { ReportContext } from './machine.ts'
import { reportStatusOf } from './view.ts'

const area = 'reports'

/** Throws `busy` after repeated conflicts, which are not expected. */
export async function writeRecord(records: RecordStore, state: ReportContext): Promise<void> {
  const write = async () => {
    const held = await records.get(state.tenant, area, state.id)
    if (held && held.record.version >= state.version) return
    const record = recordOf(state, held?.record)
    if (held) await records.replace(record, held.revision)
    else await records.create(record)
  }
  const busy = (cause: StoreConflict) =>
    new ServiceError('busy', `The record of ${state.id} is being changed.`, {}, cause)
  await retryConflicts(limits.recordWriteTries, write, busy)
}

export function recordOf(state: ReportContext, before: StoredRecord | undefined): StoredRecord {
  const { id, tenant: client, version, createdAtMs, updatedAtMs: at, updatedBy: by } = state
  const { requestId } = by
  const fields = validateFields(areaDefinitions[area].record, fieldsOf(state))
  return {
    ...{ v: 1, client, area, id, version, createdAtMs, updatedAtMs: at, fields },
    createdBy: authorName(state.createdBy),
    updatedBy: authorName(by),
    _m: {
      ...{ by, at, action: before ? 'update' : 'create' },
      changed: changedFieldNames(before?.fields ?? {}, fields),
      ...defined({ requestId }),
    },
  }
}

/** A withdrawn report keeps its subject and the reason for its withdrawal, but no figures. */
function fieldsOf(state: ReportContext): RecordFields {
  const { content, published, withdrawn, supersedes, supersededBy } = state
  return {
    ...content,
    ...(withdrawn && { summary: '', sections: [], sources: [] }),
    status: reportStatusOf(state),
    digest: reportDigest(state.id, content),
    ...(published && { published_at: iso(published.atMs), published_by: published.by.id }),
    ...(supersedes !== null && { supersedes }),
    ...(supersededBy !== null && { superseded_by: supersededBy }),
    ...(withdrawn && {
      withdrawn_at: iso(withdrawn.atMs),
      withdrawn_reason: withdrawn.reason,
    }),
  }
}

const iso = (ms: number) => new Date(ms).toISOString()
