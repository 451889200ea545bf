/** Actors without a living owner, and which of them are this host's to take. */
import type { Logger } from 'pino'
import type { Membership } from './membership.ts'
import type { OwnerRecord } from './ownership.ts'
import { rendezvous } from './placement.ts'
import { StoreUnavailable } from './store.ts'

export interface OrphanDeps {
  readonly membership: Pick<Membership, 'available' | 'isDead'>
  /** This host's own. */
  readonly incarnation: string
  readonly log: Logger
}

/** The keys of `owners` that this host, of all, should take; `isHere` for those it has. */
export async function orphansIn(
  owners: Iterable<readonly [string, OwnerRecord]>,
  isHere: (key: string) => boolean,
  { membership, incarnation: self, log }: OrphanDeps,
): Promise<string[]> {
  const hosts = membership.available('actors')
  const isMine = (key: string) => rendezvous(key, hosts)?.incarnation === self
  const orphans: string[] = []
  for (const [key, { state, incarnation }] of owners) {
    if (state === 'resting' || isHere(key)) continue
    try {
      // What is recorded as ours and has not come to life here can be taken by nobody else.
      const isStranded = state === 'owned' && incarnation === self
      const isFree = state === 'free' || (await membership.isDead(incarnation))
      if (isStranded || (isFree && isMine(key))) orphans.push(key)
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      log.warn({ err: error }, 'orphans not looked for')
      break
    }
  }
  return orphans
}
