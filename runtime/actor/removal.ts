/** The removal of an ended actor from the buckets and the log. */
import { buckets, ownerKey, subjects } from '../../proto/subjects.ts'
import { StoreUnavailable, type Store } from '../store/store.ts'

/** `key`: that of its view. */
export async function removeActor(
  store: Store,
  { key, kind, id }: { readonly key: string; readonly kind: string; readonly id: string },
): Promise<void> {
  // The view is removed last: while it exists, the next sweep repeats an interrupted removal.
  await store.log.purge(subjects.log(kind, id))
  await store.bucket(buckets.owners).delete(ownerKey(kind, id))
  await store.bucket(buckets.views).delete(key)
}

/** Waits for all removals. Another error than one of a late store is thrown. */
export async function unansweredOf(
  removals: readonly Promise<void>[],
): Promise<StoreUnavailable[]> {
  const outcomes = await Promise.allSettled(removals)
  return outcomes.flatMap((outcome) => {
    if (outcome.status === 'fulfilled') return []
    if (!(outcome.reason instanceof StoreUnavailable)) throw outcome.reason
    return [outcome.reason]
  })
}
