/** Assembles the blobs that an actor host keeps. */
import type { Logger } from 'pino'
import { MiB } from '../../proto/units.ts'
import { openSigner } from '../accounts/seal/signer.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../lib/clock.ts'
import type { Bus } from '../store/bus.ts'
import { BlobFolder } from './blob-folder.ts'
import { serveBlobs } from './serve-blobs.ts'
import { BlobTickets } from './tickets.ts'

export interface OpenBlobsDeps {
  readonly bus: Bus
  readonly clock: Clock
  readonly config: Pick<Config, 'BLOBS_MAX_MIB' | 'DATA_DIR' | 'SEAL_KEY' | 'TENANT_SHARE_PERCENT'>
  readonly log: Logger
}

export interface OpenedBlobs {
  readonly folder: BlobFolder
  readonly tickets: BlobTickets
  /** Of one tenant's things of one kind. */
  readonly tenantBytesMax: number
  stop(): void
}

export function openBlobs({ bus, clock, config, log }: OpenBlobsDeps): OpenedBlobs {
  const bytesMax = config.BLOBS_MAX_MIB * MiB
  const folder = BlobFolder.open({ dataDir: config.DATA_DIR, bytesMax })
  const tickets = new BlobTickets(openSigner(config, 'blobs'), clock)
  const service = serveBlobs({ bus, folder, tickets, log })
  const tenantBytesMax = (bytesMax * config.TENANT_SHARE_PERCENT) / 100
  return { folder, tickets, tenantBytesMax, stop: () => service.stop() }
}
