import type { Bucket, BucketEntry } from '../../../runtime/store/store.ts'

/** All entries of a bucket, which the product never reads at once. */
export async function entriesOf(bucket: Pick<Bucket, 'scan'>): Promise<BucketEntry[]> {
  const entries = new Map<string, BucketEntry>()
  for await (const entry of bucket.scan()) entries.set(entry.key, entry)
  return [...entries.values()]
}
