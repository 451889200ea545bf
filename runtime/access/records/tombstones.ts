/**
 * Removes what deleted records have left: their past values after an hour, when the audit and the
 * webhooks have read them, and their tombstones after a month.
 */
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { limits as commonLimits } from '../../../proto/limits.ts'
import { auditStateKey, type AuditState } from '../../../proto/access/audit/audit.ts'
import { decode } from '../../../proto/codec.ts'
import type { Bucket, LogStore } from '../../store/store.ts'
import type { RecordStore, RevisionedRecord } from './record-store.ts'

export interface TombstoneSweepDeps {
  readonly records: RecordStore
  /** The stored changes of the bucket of records. */
  readonly changes: Pick<LogStore, 'trim'>
  /** The bucket with the progress of the audit. */
  readonly audit: Pick<Bucket, 'get'>
  readonly purgeMarkers: (olderThanMs: number) => Promise<unknown>
}

/**
 * Returns the number of removed tombstones. A misplaced record is skipped, because its owner is
 * unknown; it is logged when an index is loaded.
 */
export async function sweepTombstones(deps: TombstoneSweepDeps, nowMs: number): Promise<number> {
  const { records, changes } = deps
  const pastUntilMs = Math.min(nowMs - limits.pastKeptMs, await auditedUntilMs(deps))
  let removed = 0
  for await (const held of records.scan(undefined, undefined, () => undefined)) {
    const { deletedAtMs } = held.record
    if (deletedAtMs === undefined) continue
    if (deletedAtMs <= nowMs - limits.tombstoneMs) {
      await records.forget(held)
      removed++
    } else if (isDue(held, pastUntilMs, nowMs)) {
      await records.forgetPast(held, changes)
    }
  }
  return removed
}

/** Past values are removed again at each sweep of two days, in case one of them failed. */
function isDue({ record }: RevisionedRecord, pastUntilMs: number, nowMs: number): boolean {
  const deletedAtMs = record.deletedAtMs!
  return deletedAtMs <= pastUntilMs && deletedAtMs > nowMs - limits.pastRetriedMs
}

/** What happened before is in the audit; without a state, nothing is known to be. */
async function auditedUntilMs({ audit }: TombstoneSweepDeps): Promise<number> {
  const entry = await audit.get(auditStateKey)
  if (!entry) return -Infinity
  const { oldestMs, atMs } = decode<AuditState>(entry.value)
  return oldestMs ?? atMs
}

/** Runs at most once an hour, however often it is called, because it reads all records. */
export function hourlyTombstoneSweep(deps: TombstoneSweepDeps): (nowMs: number) => Promise<number> {
  let dueMs = 0
  return async (nowMs) => {
    if (nowMs < dueMs) return 0
    const removed = await sweepTombstones(deps, nowMs)
    await deps.purgeMarkers(commonLimits.markersKeptMs)
    dueMs = nowMs + limits.tombstoneSweepMs
    return removed
  }
}
