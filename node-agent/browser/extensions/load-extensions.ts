/** Loads the extensions of a session into its running browser. */
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '../../../proto/errors.ts'
import type { ExtensionSource } from '../../../proto/session/extension.ts'
import { blobBytes } from '../../../runtime/blobs/blob-client.ts'
import type { Isolation } from '../../../runtime/browser-host/isolation/isolation.ts'
import type { Bus } from '../../../runtime/store/bus.ts'
import { CdpError, type CdpPipe } from '../../cdp/cdp.ts'
import { loadExtension } from '../../cdp/own-extension.ts'
import { unpackSealed } from '../../files/sealed-archive.ts'
import { loadedExtensionLimits } from './limits.ts'

export interface ExtensionPlaces {
  readonly cdp: CdpPipe
  readonly isolation: Pick<Isolation, 'mode' | 'hasOwnNetwork' | 'missing'>
  readonly bus: Pick<Bus, 'request'>
  readonly dataDir: string
  /** Which the browser does not see, on the same file system. */
  readonly incoming: string
  /** Which it sees and may write to. */
  readonly folder: string
}

/**
 * Resolves when all of them work. Throws `unsupported_option` if this host's isolation does not suffice
 * for one, and `bad_request` if Chromium refuses one.
 */
export async function loadExtensions(
  sources: readonly ExtensionSource[],
  places: ExtensionPlaces,
): Promise<void> {
  for (const source of sources) assertIsolated(source, places.isolation)
  await Promise.all(sources.map((source) => unpack(source, places)))
  // Chromium loads one after the other anyway.
  for (const { chromiumId, name } of sources) {
    const folder = join(places.folder, chromiumId)
    const id = await loadExtension(places.cdp, folder).catch((cause: unknown) => {
      throw cause instanceof CdpError ? refused(name, cause, folder) : cause
    })
    if (id !== chromiumId) throw new Error(`the extension ${name} has the id ${id}`)
  }
}

/**
 * Chromium gives an unpacked extension access to files, which ends at the walls of the browser's
 * namespaces; see README.md for the permissions that a filter outside of the browser makes harmless.
 */
function assertIsolated(
  { name, guarded }: ExtensionSource,
  { mode, hasOwnNetwork, missing }: ExtensionPlaces['isolation'],
): void {
  const isEnough = mode !== 'none' && (hasOwnNetwork || guarded.length === 0)
  if (isEnough) return
  const [first] = missing
  const what = mode === 'none' ? 'an extension' : `an extension with ${guarded.join(' and ')}`
  const why = first ? `${first.why}. Fix it: ${first.fix}` : 'NETWORK_ISOLATION is off'
  const text = `${name}: this host does not isolate browsers enough for ${what}: ${why}.`
  throw new ServiceError('unsupported_option', text, { field: 'browser.extensions' })
}

async function unpack(
  source: ExtensionSource,
  { bus, dataDir, incoming, folder }: ExtensionPlaces,
): Promise<void> {
  const { filesMax, unpackedBytes: bytesMax } = loadedExtensionLimits
  const own = join(incoming, source.chromiumId)
  await mkdir(own, { mode: 0o700 })
  const bytes = await blobBytes({ bus, dataDir }, source)
  await unpackSealed(bytes, source.key, own, {
    ...{ filesMax, bytesMax, isPlace },
    damaged: `The stored extension ${source.name} is damaged; upload it again.`,
  })
  // Complete when the browser sees it; a browser that was taken over cannot lead the files elsewhere.
  await rename(own, join(folder, source.chromiumId))
}

/** Whether it is a relative path that stays where it is. */
const isPlace = (name: string) =>
  !name.includes('\\') && name.split('/').every((part) => !['', '.', '..'].includes(part))

function refused(name: string, cause: CdpError, folder: string): ServiceError {
  const why = cause.message.replaceAll(folder, '').replace(/^[^:]*: /, '')
  const text = `Chromium does not load the extension ${name}: ${why}`
  return new ServiceError('bad_request', text, { field: 'browser.extensions' }, cause)
}
