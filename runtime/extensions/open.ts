/** Assembles extensions for an actor host. */
import type { Logger } from 'pino'
import { buckets } from '../../proto/subjects.ts'
import type { Sealer } from '../accounts/seal/seal.ts'
import { blobNamesIn, type BlobNames } from '../blobs/blob-sweeper.ts'
import type { OpenedBlobs } from '../blobs/open.ts'
import type { Clock } from '../lib/clock.ts'
import type { Bus } from '../store/bus.ts'
import type { Store } from '../store/store.ts'
import { WatchedMap } from '../store/watched-map.ts'
import { ExtensionRecords, decodeExtension } from './extension-records.ts'
import { serveExtensionPlaces } from './serve-places.ts'

export interface OpenExtensionsDeps {
  readonly bus: Bus
  readonly store: Store
  readonly sealer: Sealer
  readonly clock: Clock
  readonly blobs: OpenedBlobs
  readonly log: Logger
}

export interface OpenedExtensions extends Pick<OpenedBlobs, 'tickets'> {
  readonly records: ExtensionRecords
  readonly names: BlobNames
  stop(): void
}

export async function openExtensions(deps: OpenExtensionsDeps): Promise<OpenedExtensions> {
  const { bus, store, sealer, clock, blobs, log } = deps
  const bucket = store.bucket(buckets.extensions)
  const changes = await WatchedMap.open(bucket, decodeExtension, clock, log)
  const records = new ExtensionRecords({ bucket, sealer, clock })
  const places = serveExtensionPlaces({ ...blobs, bus, records, log })
  return {
    ...{ records, tickets: blobs.tickets },
    names: blobNamesIn('extension', changes, ({ blob }) => [blob]),
    stop() {
      places.stop()
      changes.stop()
    },
  }
}
