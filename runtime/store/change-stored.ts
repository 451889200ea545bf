import { decode, encode } from '../../proto/codec.ts'
import { retryConflicts } from './retry-conflicts.ts'
import type { Bucket } from './store.ts'

export interface RecordPlace {
  readonly bucket: Bucket
  readonly key: string
  /** After so many conflicts the last one is thrown. */
  readonly attemptsMax: number
}

/**
 * One compare-and-set on a whole record, repeated if another writer was faster. `change` returns the
 * next record, the same one to leave it as it is, or undefined to remove it.
 */
export function changeStored<R, Next extends R | undefined>(
  { bucket, key, attemptsMax }: RecordPlace,
  change: (record: R | undefined) => Next | Promise<Next>,
): Promise<Next> {
  return retryConflicts(attemptsMax, async () => {
    const entry = await bucket.get(key)
    const record = entry && decode<R>(entry.value)
    const next = await change(record)
    if (next === record) return next
    if (next === undefined) await bucket.delete(key)
    else if (entry) await bucket.update(key, encode(next), entry.revision)
    else await bucket.create(key, encode(next))
    return next
  })
}
