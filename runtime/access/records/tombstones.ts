/** Removes expired tombstones; the record's past values are removed with the delete marker. */
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { limits as commonLimits } from '../../../proto/limits.ts'
import type { RecordStore } from './record-store.ts'

/**
 * Returns the number of removed tombstones. A misplaced record is skipped, because its owner is
 * unknown; it is logged when an index is loaded.
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

/** Runs at most once a day, regardless of how often it is called, because it scans all records. */
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
