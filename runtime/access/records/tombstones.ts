/** Tombstones are removed when their time is over; the record's past values go with the marker. */
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { limits as commonLimits } from '../../../proto/limits.ts'
import type { RecordStore } from './record-store.ts'

/**
 * Says how many it removed. A misplaced record is left alone: it is not known whose it is, and
 * whoever loads an index logs it.
 */
export async function sweepTombstones(records: RecordStore, nowMs: number): Promise<number> {
  let removed = 0
  for await (const held of records.scan(undefined, undefined, () => undefined)) {
    const { deletedAtMs } = held.record
    if (deletedAtMs === undefined || deletedAtMs > nowMs - limits.tombstoneMs) continue
    await records.forget(held)
    removed++
  }
  return removed
}

/** Reads every record there is, so it does so once a day, however often it is asked. */
export function dailyTombstoneSweep(
  records: RecordStore,
  purgeMarkers: (olderThanMs: number) => Promise<unknown>,
): (nowMs: number) => Promise<number> {
  let dueMs = 0
  return async (nowMs) => {
    if (nowMs < dueMs) return 0
    const removed = await sweepTombstones(records, nowMs)
    await purgeMarkers(commonLimits.markersKeptMs)
    dueMs = nowMs + limits.tombstoneSweepMs
    return removed
  }
}
