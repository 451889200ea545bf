/**
 * Extracts ZIP archives. Their paths are untrusted: an archive with a path that leads out of the
 * folder, a link, or contents above the size limit is refused as a whole, before or during
 * extraction, and no file of it is kept.
 */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { openPromise, type Entry, type ZipFile } from 'yauzl'
import { ServiceError } from '../../proto/errors.ts'
import { safeName } from './names.ts'
import { writeNewFile } from './new-file.ts'
import type { ArrivedFile } from './folder.ts'
import { folderLimits } from './limits.ts'

export interface UnpackedFile extends ArrivedFile {
  /** The relative path in the folder; every component is safe. */
  readonly name: string
}

/** Extracts into a temporary folder, which is removed when `use` has settled. */
export async function withUnpacked<T>(
  archive: ArrivedFile,
  use: (files: readonly UnpackedFile[]) => Promise<T>,
): Promise<T> {
  const dir = `${archive.path}.d`
  await mkdir(dir)
  try {
    return await use(await unpack(archive.path, dir))
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

async function unpack(archive: string, dir: string): Promise<readonly UnpackedFile[]> {
  const zip = await openPromise(archive, { autoClose: false }).catch((cause: unknown) => {
    throw brokenArchiveError(cause)
  })
  try {
    const files: UnpackedFile[] = []
    let bytesLeft: number = folderLimits.zipUnpackedBytes
    for (const entry of await entriesOf(zip)) {
      const path = join(dir, String(files.length))
      const bytes = await extract(zip, entry, path, bytesLeft)
      bytesLeft -= bytes
      files.push({ path, name: placeOf(entry), bytes })
    }
    return files
  } finally {
    zip.close()
  }
}

/** The files in the archive, all of them checked before the first is extracted. */
async function entriesOf(zip: ZipFile): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  let seen = 0
  let bytes = 0
  try {
    // yauzl itself refuses absolute paths and paths with `..`.
    for await (const entry of zip.eachEntry()) {
      refuseUnlessPlain(entry)
      bytes += entry.uncompressedSize
      if (++seen > folderLimits.folderFiles || bytes > folderLimits.zipUnpackedBytes)
        throw tooMuchError()
      if (!entry.fileName.endsWith('/')) entries.push(entry)
    }
  } catch (cause) {
    throw cause instanceof ServiceError ? cause : brokenArchiveError(cause)
  }
  return entries
}

const unixTypeMask = 0o170000
const plainTypes: readonly number[] = [0, 0o100000, 0o040000]

function refuseUnlessPlain(entry: Entry): void {
  const type = (entry.externalFileAttributes >>> 16) & unixTypeMask
  if (!plainTypes.includes(type)) throw badInputError('contains something that is not a plain file')
  if (entry.isEncrypted()) throw badInputError('is encrypted')
  if (Buffer.byteLength(entry.fileName) > folderLimits.zipPathBytes)
    throw badInputError('contains a path that is too long')
}

function placeOf({ fileName }: Entry): string {
  const parts = fileName.split(/[/\\]/).filter((part) => part !== '' && part !== '.')
  return parts.map(safeName).join('/')
}

/** The size in an entry may be wrong, so the actual bytes are counted. */
async function extract(
  zip: ZipFile,
  entry: Entry,
  path: string,
  bytesMax: number,
): Promise<number> {
  let bytes = 0
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.byteLength
      if (bytes > bytesMax) done(tooMuchError())
      else done(null, chunk)
    },
  })
  try {
    const content = await zip.openReadStreamPromise(entry)
    await writeNewFile(path, content, count)
  } catch (cause) {
    // Errors of the file system have a `syscall`; all others are caused by the archive.
    const isOurs = cause instanceof ServiceError || (cause as NodeJS.ErrnoException).syscall
    throw isOurs ? cause : brokenArchiveError(cause)
  }
  return bytes
}

function brokenArchiveError(cause: unknown): ServiceError {
  return badInputError(`cannot be read: ${(cause as Error).message}`, cause)
}

function badInputError(what: string, cause?: unknown): ServiceError {
  return new ServiceError('bad_request', `The ZIP ${what}; none of it was stored.`, {}, cause)
}

function tooMuchError(): ServiceError {
  const { folderFiles, zipUnpackedBytes } = folderLimits
  return new ServiceError(
    'too_large',
    `A ZIP can contain at most ${folderFiles} files and ${zipUnpackedBytes} bytes in total.`,
    { limit: folderFiles, limit_bytes: zipUnpackedBytes },
  )
}
