/** Whether an actor exists, read from the store itself: used before irreversible steps. */
import { buckets, ownerKey, subjects } from '../../../proto/subjects.ts'
import { readOwnerRecord } from './ownership.ts'
import type { Store } from '../../store/store.ts'

/**
 * True if the actor has a log entry or an owner. A resting owner record without a log is left by an
 * interrupted removal. Throws {@link StoreUnavailable} if the store does not answer.
 */
export async function actorExists(store: Store, kind: string, id: string): Promise<boolean> {
  const [last, owner] = await Promise.all([
    store.log.last(subjects.log(kind, id)),
    store.bucket(buckets.owners).get(ownerKey(kind, id)),
  ])
  if (last !== undefined) return true
  return owner !== undefined && readOwnerRecord(owner.value).state === 'owned'
}
