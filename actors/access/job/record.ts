/**
 * The record of a job in its area, written by compare-and-set. Only the job writes these fields.
 */
import type { RecordFields } from '../../../proto/access/areas/define-area.ts'
import { systemAuthor } from '../../../proto/access/author.ts'
import type { ChangeOrigin } from '../../../proto/access/areas/record.ts'
import { createdRecord } from '../../../runtime/access/records/change.ts'
import type { RecordStore } from '../../../runtime/access/records/record-store.ts'
import { StoreConflict } from '../../../runtime/store/store.ts'
import { changeRecord } from '../common/change-record.ts'
import type { JobContext } from './context.ts'

type Job = Pick<JobContext, 'id' | 'tenant' | 'origin' | 'order' | 'createdAtMs'>

/** Created in the name of the requester. A repeat after a crash creates the same record. */
export async function createRecord(
  records: RecordStore,
  { id, tenant: client, origin, order: { area }, createdAtMs }: Job,
  fields: RecordFields,
): Promise<void> {
  const made = { client, area, id, fields, action: 'create', createdAtMs } as const
  try {
    await records.create(createdRecord(made, origin, createdAtMs))
  } catch (error) {
    if (!(error instanceof StoreConflict)) throw error
  }
}

/** Updates some of its fields. */
export const updateRecord = (
  records: RecordStore,
  { id, tenant: client, origin, order: { area } }: Job,
  fields: RecordFields,
  nowMs: number,
): Promise<void> =>
  changeRecord(
    records,
    { client, area, id },
    (before) => ({ ...before, ...fields }),
    byJob(origin),
    nowMs,
  )

/** The origin names the access that the job was requested with. */
const byJob = (origin: ChangeOrigin): ChangeOrigin => ({ ...origin, by: systemAuthor('jobs') })
