/**
 * The entries of a ZIP of unknown origin. One with a path that leads out of a folder, a link, or
 * contents above a limit is refused as a whole.
 */
import type { Entry, ZipFile } from 'yauzl'
import { ServiceError } from '../../../proto/errors.ts'

export interface ZipBounds {
  readonly filesMax: number
  /** Unpacked, of all files together. */
  readonly bytesMax: number
  readonly pathBytes: number
}

/**
 * The files in the archive, without folders. The sizes are those that the archive states; a reader
 * counts the actual bytes.
 */
export async function plainEntriesOf(zip: ZipFile, bounds: ZipBounds): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  let seen = 0
  let bytes = 0
  try {
    // yauzl itself refuses absolute paths and paths with `..`.
    for await (const entry of zip.eachEntry()) {
      refuseUnlessPlain(entry, bounds)
      bytes += entry.uncompressedSize
      if (++seen > bounds.filesMax || bytes > bounds.bytesMax) throw tooMuchInZip(bounds)
      if (!entry.fileName.endsWith('/')) entries.push(entry)
    }
  } catch (cause) {
    throw cause instanceof ServiceError ? cause : brokenZip(cause)
  }
  return entries
}

export const brokenZip = (cause: unknown): ServiceError =>
  badZip(`cannot be read: ${(cause as Error).message}`, cause)

export function tooMuchInZip({ filesMax, bytesMax }: ZipBounds): ServiceError {
  return new ServiceError(
    'too_large',
    `A ZIP can contain at most ${filesMax} files and ${bytesMax} bytes in total.`,
    { limit: filesMax, limit_bytes: bytesMax },
  )
}

const unixTypeMask = 0o170000
const plainTypes: readonly number[] = [0, 0o100000, 0o040000]

function refuseUnlessPlain(entry: Entry, { pathBytes }: ZipBounds): void {
  const type = (entry.externalFileAttributes >>> 16) & unixTypeMask
  if (!plainTypes.includes(type)) throw badZip('contains something that is not a plain file')
  if (entry.isEncrypted()) throw badZip('is encrypted')
  if (Buffer.byteLength(entry.fileName) > pathBytes)
    throw badZip('contains a path that is too long')
}

const badZip = (what: string, cause?: unknown) =>
  new ServiceError('bad_request', `The ZIP ${what}; none of it was stored.`, {}, cause)
