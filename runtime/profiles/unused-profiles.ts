/** Deletes profiles that no session has begun with for a time that the operator sets. */
import type { Logger } from 'pino'
import { ServiceError } from '../../proto/errors.ts'
import type { ProfileRecord } from '../../proto/session/profile.ts'
import type { Clock } from '../lib/clock.ts'
import type { WatchedMap } from '../store/watched-map.ts'
import type { ProfileRecords } from './profile-records.ts'

export interface UnusedProfilesDeps {
  readonly records: Pick<ProfileRecords, 'remove'>
  readonly known: Pick<WatchedMap<ProfileRecord>, 'entries'>
  readonly clock: Clock
  readonly log: Logger
  readonly keptMs: number
}

export async function deleteUnused(deps: UnusedProfilesDeps): Promise<void> {
  const { records, known, clock, log, keptMs } = deps
  const oldMs = clock.now() - keptMs
  for (const [, record] of [...known.entries()]) {
    const { tenant, name, holder } = record
    if (holder || lastUseMs(record) >= oldMs) continue
    try {
      await records.remove(tenant, name)
      log.info({ tenant, profile: name }, 'a profile was deleted, because no session used it')
    } catch (error) {
      // Another host was faster, or a session has just begun with it.
      if (!(error instanceof ServiceError)) throw error
    }
  }
}

const lastUseMs = ({ createdAtMs, usedAtMs = 0, versions }: ProfileRecord): number =>
  Math.max(createdAtMs, usedAtMs, versions.at(-1)?.savedAtMs ?? 0)
