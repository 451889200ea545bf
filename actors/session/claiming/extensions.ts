/** The extensions of a session, as the host of its browser loads them. */
import type { ExtensionSource } from '../../../proto/session/extension.ts'
import type { BlobTickets } from '../../../runtime/blobs/tickets.ts'
import type { ExtensionRecords } from '../../../runtime/extensions/extension-records.ts'

/** What an actor host has for extensions. */
export interface ExtensionMeans {
  readonly records: Pick<ExtensionRecords, 'get' | 'openKey'>
  readonly tickets: Pick<BlobTickets, 'issue'>
}

/** Throws `not_found` if one was deleted meanwhile. */
export function extensionSources(
  { records, tickets }: ExtensionMeans,
  tenant: string,
  ids: readonly string[],
): Promise<readonly ExtensionSource[]> {
  return Promise.all(
    ids.map(async (id) => {
      const record = await records.get(tenant, id)
      const { blob, chromiumId, guarded, manifest } = record
      return {
        ...blob,
        ticket: tickets.issue(blob, 'read'),
        key: records.openKey(record),
        ...{ chromiumId, guarded, name: manifest.name, version: manifest.version },
      }
    }),
  )
}
