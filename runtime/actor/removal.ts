/** Ended actors, and their removal from the buckets and the log. */
import type { ActorView } from '../../proto/actor.ts'
import { buckets, ownerKey, subjects } from '../../proto/subjects.ts'
import { StoreUnavailable, type Store } from '../store/store.ts'

export interface EndedActor {
  /** That of its view. */
  readonly key: string
  readonly kind: string
  readonly tenant: string
  readonly id: string
  readonly endedAtMs: number
}

/** Undefined if it has not ended. */
export function endedActorOf(key: string, { endedAtMs }: ActorView): EndedActor | undefined {
  if (endedAtMs === undefined) return undefined
  const [kind, tenant, id] = key.split('.') as [string, string, string]
  return { key, kind, tenant, id, endedAtMs }
}

export async function removeActor(
  store: Store,
  { key, kind, id }: Pick<EndedActor, 'key' | 'kind' | 'id'>,
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
