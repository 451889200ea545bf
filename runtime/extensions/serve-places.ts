/**
 * Places for the files of extensions: a gateway, which has no folder of blobs, asks an actor host for
 * one, with a ticket that lets it write there once.
 */
import type { Logger } from 'pino'
import type { BlobAccess } from '../../proto/session/blob.ts'
import { placeQueue, subjects } from '../../proto/subjects.ts'
import type { BlobFolder } from '../blobs/blob-folder.ts'
import { assertShare } from '../blobs/tenant-share.ts'
import type { BlobTickets } from '../blobs/tickets.ts'
import type { Bus, BusService } from '../store/bus.ts'
import { replying } from '../store/reply.ts'
import type { ExtensionRecords } from './extension-records.ts'

export interface ExtensionPlace {
  readonly tenant: string
}

export interface ServePlacesOptions {
  readonly bus: Pick<Bus, 'serve'>
  readonly records: Pick<ExtensionRecords, 'assertRoom'>
  readonly folder: Pick<BlobFolder, 'newPlace'>
  readonly tickets: Pick<BlobTickets, 'issue'>
  /** Of all extensions of one tenant. */
  readonly tenantBytesMax: number
  readonly log: Logger
}

export function serveExtensionPlaces(options: ServePlacesOptions): BusService {
  const answer = replying(
    (order) => placeFor(options, order as ExtensionPlace),
    (error) => options.log.error({ err: error }, 'an extension got no place'),
  )
  return options.bus.serve(subjects.extensionPlaces, answer, { queue: placeQueue })
}

async function placeFor(
  { records, folder, tickets, tenantBytesMax }: ServePlacesOptions,
  { tenant }: ExtensionPlace,
): Promise<BlobAccess> {
  const kept = await records.assertRoom(tenant)
  const bytes = kept.reduce((sum, record) => sum + record.bytes, 0)
  assertShare('extensions', bytes, tenantBytesMax)
  const place = folder.newPlace()
  return { ...place, ticket: tickets.issue(place, 'write') }
}
