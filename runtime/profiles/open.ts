/** Assembles profiles for an actor host: their records, and the blobs that this host keeps. */
import type { Logger } from 'pino'
import type { ProfileRecord } from '../../proto/session/profile.ts'
import { buckets } from '../../proto/subjects.ts'
import { MiB, dayMs } from '../../proto/units.ts'
import type { Sealer } from '../accounts/seal/seal.ts'
import { openSigner } from '../accounts/seal/signer.ts'
import { BlobFolder } from '../blobs/blob-folder.ts'
import { serveBlobs } from '../blobs/serve-blobs.ts'
import { BlobTickets } from '../blobs/tickets.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../lib/clock.ts'
import type { Bus } from '../store/bus.ts'
import type { Store } from '../store/store.ts'
import { WatchedMap } from '../store/watched-map.ts'
import { BlobSweeper } from './blob-sweeper.ts'
import { ProfileRecords, readProfile } from './profile-records.ts'
import { deleteUnused } from './unused-profiles.ts'

export interface OpenProfilesDeps {
  readonly bus: Bus
  readonly store: Store
  readonly sealer: Sealer
  readonly clock: Clock
  readonly config: Pick<
    Config,
    | 'BLOBS_MAX_MIB'
    | 'DATA_DIR'
    | 'PROFILE_MAX_MIB'
    | 'PROFILE_UNUSED_DAYS'
    | 'SEAL_KEY'
    | 'TENANT_SHARE_PERCENT'
  >
  readonly log: Logger
}

export interface OpenedProfiles {
  readonly records: ProfileRecords
  readonly changes: WatchedMap<ProfileRecord>
  readonly folder: BlobFolder
  readonly tickets: BlobTickets
  readonly bytesMax: number
  readonly tenantBytesMax: number
  stop(): void
}

export async function openProfiles(deps: OpenProfilesDeps): Promise<OpenedProfiles> {
  const { bus, store, sealer, clock, config, log } = deps
  const bucket = store.bucket(buckets.profiles)
  const folder = BlobFolder.open({
    dataDir: config.DATA_DIR,
    bytesMax: config.BLOBS_MAX_MIB * MiB,
  })
  const tickets = new BlobTickets(openSigner(config, 'blobs'), clock)
  const changes = await WatchedMap.open(bucket, readProfile, clock, log)
  const service = serveBlobs({ bus, folder, tickets, log })
  const records = new ProfileRecords({ bucket, sealer, clock })
  const keptMs = config.PROFILE_UNUSED_DAYS * dayMs
  const sweeper = new BlobSweeper({
    ...{ folder, records: changes, clock, log },
    ...(keptMs > 0 && {
      alsoSweep: () => deleteUnused({ records, known: changes, clock, log, keptMs }),
    }),
  })
  return {
    records,
    ...{ changes, folder, tickets },
    bytesMax: config.PROFILE_MAX_MIB * MiB,
    tenantBytesMax: (config.BLOBS_MAX_MIB * MiB * config.TENANT_SHARE_PERCENT) / 100,
    stop() {
      service.stop()
      sweeper.stop()
      changes.stop()
    },
  }
}
