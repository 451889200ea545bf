/** Finds actors without a live owner, and selects those that this host should take. */
import type { Logger } from 'pino'
import type { Membership } from '../../cluster/membership.ts'
import type { OwnerRecord } from '../ownership/ownership.ts'
import { rendezvousHost } from '../../cluster/placement.ts'
import { StoreUnavailable } from '../../store/store.ts'

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
  const hosts = membership.available('actors')
  const isMine = (key: string) => rendezvousHost(key, hosts)?.incarnation === self
  const orphans: string[] = []
  for (const [key, { state, incarnation }] of owners) {
    if (state === 'resting' || isHere(key)) continue
    try {
      // Recorded as ours but not live here: no other host can take it.
      const isStranded = state === 'owned' && incarnation === self
      const isFree = state === 'free' || (await membership.isDead(incarnation))
      if (isStranded || (isFree && isMine(key))) orphans.push(key)
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      log.warn({ err: error }, 'the search for orphans failed')
      break
    }
  }
  return orphans
}
