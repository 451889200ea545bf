/** How actors write records: by compare-and-set, because others may write them too. */
import type { RecordFields } from '../../../proto/access/areas/define-area.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type { ChangeOrigin, StoredRecord } from '../../../proto/access/areas/record.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { changedRecord } from '../../../runtime/access/records/change.ts'
import type { RecordStore } from '../../../runtime/access/records/record-store.ts'
import { retryConflicts } from '../../../runtime/store/retry-conflicts.ts'
import type { StoreConflict } from '../../../runtime/store/store.ts'

/**
 * Writes the result of `change` on the current fields; `change` is called again after a conflict. A
 * deleted record is left unchanged. Throws `busy` if conflicts continue.
 */
export async function changeRecord(
  records: RecordStore,
  { client, area, id }: Pick<StoredRecord, 'client' | 'area' | 'id'>,
  change: (before: RecordFields) => RecordFields,
  origin: ChangeOrigin,
  nowMs: number,
): Promise<void> {
  const write = async () => {
    const held = await records.get(client, area, id)
    if (!held || held.record.deletedAtMs !== undefined) return
    const next = changedRecord(held.record, change(held.record.fields), origin, nowMs)
    if (next !== held.record) await records.replace(next, held.revision)
  }
  const busy = (cause: StoreConflict) =>
    new ServiceError('busy', `The record ${id} is being changed.`, {}, cause)
  await retryConflicts(limits.recordWriteTries, write, busy)
}
