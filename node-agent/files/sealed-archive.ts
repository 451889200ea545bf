/** Unpacks the sealed tar archives that blobs are: plain files at allowed places, and nothing else. */
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { extract, type Extract } from 'tar-stream'
import { ServiceError } from '../../proto/errors.ts'
import { BlobDamaged, openStream } from '../../runtime/blobs/sealed-stream.ts'
import { contained } from '../../runtime/lib/network/contained.ts'

export interface ArchiveRules {
  readonly bytesMax: number
  readonly filesMax: number
  /** Whether a file may be written there. */
  isPlace(name: string): boolean
  /** What is told of an archive that does not open as it was sealed. */
  readonly damaged: string
}

/** Writes into a folder in which none of the files exists yet. */
export async function unpackSealed(
  sealed: AsyncIterable<Uint8Array>,
  key: Uint8Array,
  folder: string,
  rules: ArchiveRules,
): Promise<void> {
  const archive = extract()
  const reading = pipeline(Readable.from(openStream(key, sealed)), archive)
  const unpacking = unpackFiles(archive, folder, rules)
  const [read, unpacked] = await Promise.allSettled([reading, unpacking])
  // The end of one also ends the other; the bytes are at fault only where they say so.
  const failures = [read, unpacked].flatMap((one) =>
    one.status === 'rejected' ? [one.reason as Error] : [],
  )
  const ofBytes = failures.find(
    (error) => error instanceof BlobDamaged || error instanceof ServiceError,
  )
  if (ofBytes instanceof BlobDamaged) throw new ServiceError('conflict', rules.damaged, {}, ofBytes)
  const failure = ofBytes ?? failures.at(-1)
  if (failure) throw failure
}

async function unpackFiles(archive: Extract, folder: string, rules: ArchiveRules): Promise<void> {
  let bytes = 0
  let files = 0
  for await (const entry of archive) {
    const { name, type, size = 0 } = entry.header
    bytes += size
    files++
    const isTooMuch = bytes > rules.bytesMax || files > rules.filesMax
    if (type !== 'file' || !rules.isPlace(name) || isTooMuch) {
      throw new Error(`the archive may not contain ${JSON.stringify(name)}`)
    }
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const file = contained(createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    await pipeline(entry, file)
  }
}
