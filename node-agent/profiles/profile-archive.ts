/**
 * A profile as a sealed tar archive. An archive may only contain plain files at the places of a
 * profile.
 */
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { extract, pack, type Extract, type Pack } from 'tar-stream'
import { ServiceError } from '../../proto/errors.ts'
import type { StoredCookie } from '../../proto/session/storage-state.ts'
import { BlobDamaged, openStream, sealStream } from '../../runtime/blobs/sealed-stream.ts'
import { contained } from '../../runtime/lib/network/contained.ts'
import { openPlain } from '../files/open-plain.ts'
import {
  isPlace,
  keptNotes,
  keptPreferences,
  keptPreferencesOf,
  profileFilesIn,
  readJson,
} from './profile-files.ts'
import { profileFileLimits } from './limits.ts'

interface ProfileFile {
  /** Relative to the folder `Default`. */
  readonly name: string
  /** Bytes, or the path of a file. */
  readonly content: Uint8Array | string
}

export interface ProfileNotes {
  /** The origins that have been visited, for storage states. */
  readonly origins: readonly string[]
  /**
   * As they were before the browser closed: the process that writes their database may be ended before
   * it has. Absent if a client has closed it.
   */
  readonly cookies?: readonly StoredCookie[] | undefined
}

export interface ProfileContent extends ProfileNotes {
  /** The browser's folder. */
  readonly folder: string
}

/** The archive of a profile, sealed. Throws `storage_full` if it has more bytes. */
export async function* packProfile(
  content: ProfileContent,
  key: Uint8Array,
  bytesMax: number,
): AsyncGenerator<Buffer> {
  const archive = pack()
  const packing = packFiles(archive, content, bytesMax).catch((error: Error) =>
    archive.destroy(error),
  )
  yield* sealStream(key, archive as AsyncIterable<Buffer>)
  await packing
}

/** Writes the files of a sealed archive into a new folder of a browser. */
export async function unpackProfile(
  sealed: AsyncIterable<Uint8Array>,
  key: Uint8Array,
  profile: string,
): Promise<void> {
  const archive = extract()
  const reading = pipeline(Readable.from(openStream(key, sealed)), archive)
  const unpacking = unpackFiles(archive, join(profile, 'Default'))
  const [read, unpacked] = await Promise.allSettled([reading, unpacking])
  // The end of one also ends the other; the bytes are at fault only where they say so.
  const failures = [read, unpacked].flatMap((one) =>
    one.status === 'rejected' ? [one.reason as Error] : [],
  )
  const ofBytes = failures.find(
    (error) => error instanceof BlobDamaged || error instanceof ServiceError,
  )
  if (ofBytes instanceof BlobDamaged) {
    const text = 'The stored profile is damaged; make an earlier version of it the newest one.'
    throw new ServiceError('conflict', text, {}, ofBytes)
  }
  const failure = ofBytes ?? failures.at(-1)
  if (failure) throw failure
}

/** Of an archive that an agent has made, so they are what they should be. */
export async function keptNotesOf(profile: string): Promise<ProfileNotes> {
  const notes = await readJson(join(profile, 'Default', keptNotes))
  return (notes as ProfileNotes | undefined) ?? { origins: [] }
}

async function packFiles(archive: Pack, whole: ProfileContent, bytesMax: number): Promise<void> {
  let bytes = 0
  for await (const { name, content } of filesOf(whole)) {
    bytes += await packFile(archive, name, content, bytesMax - bytes)
  }
  archive.finalize()
}

async function packFile(
  archive: Pack,
  name: string,
  content: ProfileFile['content'],
  bytesLeft: number,
): Promise<number> {
  if (typeof content !== 'string') {
    archive.entry({ name, mode: 0o600 }, Buffer.from(content))
    return content.byteLength
  }
  const file = await openPlain(content)
  if (!file) return 0
  try {
    const { size } = await file.stat()
    if (size > bytesLeft) throw tooLargeError()
    const entry = archive.entry({ name, size, mode: 0o600 })
    const chunks = size === 0 ? [] : file.createReadStream({ end: size - 1, autoClose: false })
    await pipeline(chunks, entry)
    return size
  } finally {
    await file.close()
  }
}

async function* filesOf({
  folder: profile,
  ...notes
}: ProfileContent): AsyncGenerator<ProfileFile> {
  const permissions = await keptPreferencesOf(profile)
  yield { name: keptPreferences, content: Buffer.from(JSON.stringify(permissions)) }
  yield { name: keptNotes, content: Buffer.from(JSON.stringify(notes)) }
  for await (const { name, path } of profileFilesIn(profile)) yield { name, content: path }
}

async function unpackFiles(archive: Extract, folder: string): Promise<void> {
  let bytes = 0
  let files = 0
  for await (const entry of archive) {
    const { name, type, size = 0 } = entry.header
    bytes += size
    files++
    const { unpackedBytes, filesMax } = profileFileLimits
    if (type !== 'file' || !isPlace(name) || bytes > unpackedBytes || files > filesMax) {
      throw new Error(`a profile may not contain ${JSON.stringify(name)}`)
    }
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const file = contained(createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    await pipeline(entry, file)
  }
}

function tooLargeError(): ServiceError {
  const text =
    'The profile is larger than this service saves. Remove what sites have stored, or ask the ' +
    'operator to raise PROFILE_MAX_MIB.'
  return new ServiceError('storage_full', text)
}
