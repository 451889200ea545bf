/**
 * What actors keep sealed in their logs, sealed again with the first key of this host: each is asked for
 * what it has, and puts the new text in the place of the one that was read, so what changes meanwhile stays.
 */
import type { ActorView } from '../../proto/actor.ts'
import { isNotFound, ServiceError } from '../../proto/errors.ts'
import type { Directory } from '../directory.ts'
import type { Store } from '../store.ts'
import { storedViews } from '../views.ts'
import type { Sealer } from './seal.ts'

export interface ResealActorsDeps {
  readonly store: Pick<Store, 'bucket'>
  readonly directory: Pick<Directory, 'ask'>
  readonly sealer: Sealer
}

export interface ResealedActor {
  readonly id: string
  readonly tenant: string
  /** `left`: under a key that this host has not, or its actor did not answer. */
  readonly outcome: 'resealed' | 'current' | 'gone' | 'left'
  /** Of one that is left: what to mend. */
  readonly why?: string
}

/** Each actor of a kind that there is, as it is done. `reseal`: false where nothing was to do. */
export async function* resealActors<V extends ActorView>(
  { store }: Pick<ResealActorsDeps, 'store'>,
  kind: string,
  reseal: (view: V) => Promise<boolean>,
): AsyncIterable<ResealedActor> {
  for (const view of await storedViews<V>(store, kind)) {
    yield { id: view.id, tenant: view.tenant, ...(await outcomeOf(() => reseal(view))) }
  }
}

async function outcomeOf(
  work: () => Promise<boolean>,
): Promise<Pick<ResealedActor, 'outcome' | 'why'>> {
  try {
    return { outcome: (await work()) ? 'resealed' : 'current' }
  } catch (error) {
    if (isNotFound(error)) return { outcome: 'gone' }
    if (error instanceof ServiceError) return { outcome: 'left', why: error.message }
    throw error
  }
}
