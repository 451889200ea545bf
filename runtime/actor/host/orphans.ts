/** Finds actors without a live owner, and selects those that this host should take. */
import type { Logger } from 'pino'
import type { Membership } from '../../cluster/membership.ts'
import type { OwnerRecord } from '../ownership/ownership.ts'
import { placementAmong } from '../../cluster/placement.ts'
import { StoreUnavailable } from '../../store/store.ts'
import { actorLimits } from '../limits.ts'

export interface OrphanDeps {
  readonly membership: Pick<Membership, 'available' | 'isDead'>
  /** This host's incarnation. */
  readonly incarnation: string
  readonly log: Logger
}

/** Keys of `owners` that this host should take; `isHere` is true for actors that live here. */
export async function findOrphans(
  owners: Iterable<readonly [string, OwnerRecord]>,
  isHere: (key: string) => boolean,
  { membership, incarnation: self, log }: OrphanDeps,
): Promise<string[]> {
  const hostOf = placementAmong(membership.available('actors'))
  // Many actors have the same owner, and one that is not known here is looked up in the store.
  const answers = new Map<string, boolean>()
  const isDead = async (incarnation: string) => {
    const answer = answers.get(incarnation) ?? (await membership.isDead(incarnation))
    answers.set(incarnation, answer)
    return answer
  }
  const orphans: string[] = []
  let free = 0
  for (const [key, { state, incarnation }] of owners) {
    if (state === 'resting' || isHere(key)) continue
    try {
      // Recorded as ours but not live here: no other host can take it.
      const isStranded = state === 'owned' && incarnation === self
      const isFree = state === 'free' || (await isDead(incarnation))
      // Among a thousand hosts, the choices of a turn take some 5 ms.
      if (isFree && ++free % actorLimits.orphansPerTurn === 0) await new Promise(setImmediate)
      if (isStranded || (isFree && hostOf(key)?.incarnation === self)) orphans.push(key)
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      log.warn({ err: error }, 'the search for orphans failed')
      break
    }
  }
  return orphans
}
