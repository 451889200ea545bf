/** Assembles profiles for an actor host: their records, and what may be removed. */
import type { Logger } from 'pino'
import type { ProfileRecord } from '../../proto/session/profile.ts'
import { buckets } from '../../proto/subjects.ts'
import { MiB, dayMs } from '../../proto/units.ts'
import type { Sealer } from '../accounts/seal/seal.ts'
import { blobNamesIn, type BlobNames } from '../blobs/blob-sweeper.ts'
import type { OpenedBlobs } from '../blobs/open.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../lib/clock.ts'
import type { Store } from '../store/store.ts'
import { WatchedMap } from '../store/watched-map.ts'
import { ProfileRecords, readProfile } from './profile-records.ts'
import { deleteUnused } from './unused-profiles.ts'

export interface OpenProfilesDeps {
  readonly store: Store
  readonly sealer: Sealer
  readonly clock: Clock
  readonly config: Pick<Config, 'PROFILE_MAX_MIB' | 'PROFILE_UNUSED_DAYS'>
  readonly blobs: OpenedBlobs
  readonly log: Logger
}

export interface OpenedProfiles extends Pick<OpenedBlobs, 'folder' | 'tickets' | 'tenantBytesMax'> {
  readonly records: ProfileRecords
  readonly changes: WatchedMap<ProfileRecord>
  readonly bytesMax: number
  readonly names: BlobNames
  deleteUnused(): Promise<void>
  stop(): void
}

export async function openProfiles(deps: OpenProfilesDeps): Promise<OpenedProfiles> {
  const { store, sealer, clock, config, blobs, log } = deps
  const bucket = store.bucket(buckets.profiles)
  const changes = await WatchedMap.open(bucket, readProfile, clock, log)
  const records = new ProfileRecords({ bucket, sealer, clock })
  const keptMs = config.PROFILE_UNUSED_DAYS * dayMs
  return {
    ...blobs,
    records,
    changes,
    bytesMax: config.PROFILE_MAX_MIB * MiB,
    names: blobNamesIn('profile', changes, ({ versions }) => versions.map(({ blob }) => blob)),
    async deleteUnused() {
      if (keptMs > 0) await deleteUnused({ records, known: changes, clock, log, keptMs })
    },
    stop: () => changes.stop(),
  }
}
