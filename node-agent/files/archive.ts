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
import { brokenZip, plainEntriesOf, tooMuchInZip } from '../../runtime/lib/files/zip-entries.ts'
import { safeName } from './names.ts'
import { writeNewFile } from './new-file.ts'
import type { ArrivedFile } from './folder.ts'
import { folderLimits } from './limits.ts'

export interface UnpackedFile extends ArrivedFile {
  /** The relative path in the folder; every component is safe. */
  readonly name: string
}

const bounds = {
  filesMax: folderLimits.folderFiles,
  bytesMax: folderLimits.zipUnpackedBytes,
  pathBytes: folderLimits.zipPathBytes,
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
    throw brokenZip(cause)
  })
  try {
    const files: UnpackedFile[] = []
    let bytesLeft: number = folderLimits.zipUnpackedBytes
    for (const entry of await plainEntriesOf(zip, bounds)) {
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
      if (bytes > bytesMax) done(tooMuchInZip(bounds))
      else done(null, chunk)
    },
  })
  try {
    const content = await zip.openReadStreamPromise(entry)
    await writeNewFile(path, content, count)
  } catch (cause) {
    // Errors of the file system have a `syscall`; all others are caused by the archive.
    const isOurs = cause instanceof ServiceError || (cause as NodeJS.ErrnoException).syscall
    throw isOurs ? cause : brokenZip(cause)
  }
  return bytes
}
