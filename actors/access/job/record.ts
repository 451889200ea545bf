/** The record of a job in its area, written by compare-and-set. Nobody else writes what a job does. */
import type { RecordFields } from '../../../proto/access/areas/define-area.ts'
import { system } from '../../../proto/access/author.ts'
import type { ChangeOrigin } from '../../../proto/access/record.ts'
import { madeRecord } from '../../../runtime/access/records/change.ts'
import type { RecordStore } from '../../../runtime/access/records/record-store.ts'
import { Conflict } from '../../../runtime/store.ts'
import { changeRecord } from '../common/change-record.ts'
import type { JobContext } from './machine.ts'

type Job = Pick<JobContext, 'id' | 'tenant' | 'origin' | 'order' | 'createdAtMs'>

/** In the name of who asked for the job. Made again after a crash, it is the same one. */
export async function createRecord(
  records: RecordStore,
  { id, tenant: client, origin, order: { area }, createdAtMs }: Job,
  fields: RecordFields,
): Promise<void> {
  const made = { client, area, id, fields, action: 'create', createdAtMs } as const
  try {
    await records.create(madeRecord(made, origin, createdAtMs))
  } catch (error) {
    if (!(error instanceof Conflict)) throw error
  }
}

/** Sets some of its fields. */
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

/** Under the access that the job was asked for with. */
const byJob = (origin: ChangeOrigin): ChangeOrigin => ({ ...origin, by: system('jobs') })
