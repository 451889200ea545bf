/**
 * Reseals with this host's first key what actors store in their logs: each actor replaces a sealed
 * text only if it is still the one that was read, so concurrent changes are kept.
 */
import type { ActorView } from '../../../proto/actor.ts'
import { isNotFound, ServiceError } from '../../../proto/errors.ts'
import type { Directory } from '../../actor/directory.ts'
import type { Store } from '../../store/store.ts'
import { storedViews } from '../../actor/views.ts'
import type { Sealer } from './seal.ts'

export interface ResealActorsDeps {
  readonly store: Pick<Store, 'bucket'>
  readonly directory: Pick<Directory, 'ask'>
  readonly sealer: Sealer
}

export interface ResealedActor {
  readonly id: string
  readonly tenant: string
  /** `left`: sealed with a key that this host does not have, or its actor did not answer. */
  readonly outcome: 'resealed' | 'current' | 'gone' | 'left'
  /** If `left`: what to repair. */
  readonly why?: string
}

/**
 * Yields each actor of a kind when it is processed. `reseal` returns false if there was nothing to
 * do.
 */
export async function* resealActors<V extends ActorView>(
  { store }: Pick<ResealActorsDeps, 'store'>,
  kind: string,
  reseal: (view: V) => Promise<boolean>,
): AsyncIterable<ResealedActor> {
  for (const view of await storedViews<V>(store, kind)) {
    yield { id: view.id, tenant: view.tenant, ...(await resealOutcome(() => reseal(view))) }
  }
}

/** How one object was resealed; `work` returns false if there was nothing to do. */
export async function resealOutcome(
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
