import type { Bucket, BucketEntry } from './store.ts'

/**
 * All entries of a bucket whose size the operators decide, such as keys and processes, each once and
 * as it was last seen. Its callers are named in a test (`unit/runtime/store/whole-buckets`).
 */
export async function entriesOf(bucket: Pick<Bucket, 'scan'>): Promise<BucketEntry[]> {
  const entries = new Map<string, BucketEntry>()
  for await (const entry of bucket.scan()) entries.set(entry.key, entry)
  return [...entries.values()]
}
