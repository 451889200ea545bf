/** Whether an actor exists, asked of the store itself: for what cannot be undone. */
import { decode } from '../proto/codec.ts'
import { buckets, ownerKey, subjects } from '../proto/subjects.ts'
import type { OwnerRecord } from './ownership.ts'
import type { Store } from './store.ts'

/**
 * True while the actor has a log entry or an owner. An owner record at rest without a log is what
 * an interrupted removal leaves. Throws {@link StoreUnavailable} when the store does not answer.
 */
export async function isRecorded(store: Store, kind: string, id: string): Promise<boolean> {
  const [last, owner] = await Promise.all([
    store.log.last(subjects.log(kind, id)),
    store.bucket(buckets.owners).get(ownerKey(kind, id)),
  ])
  if (last !== undefined) return true
  return owner !== undefined && decode<OwnerRecord>(owner.value).state === 'owned'
}
