/**
 * A profile as a sealed tar archive. An archive may only contain plain files at the places of a
 * profile.
 */
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { pack, type Pack } from 'tar-stream'
import { ServiceError } from '../../proto/errors.ts'
import type { StoredCookie } from '../../proto/session/storage-state.ts'
import { sealStream } from '../../runtime/blobs/sealed-stream.ts'
import { openPlain } from '../files/open-plain.ts'
import { unpackSealed } from '../files/sealed-archive.ts'
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
export function unpackProfile(
  sealed: AsyncIterable<Uint8Array>,
  key: Uint8Array,
  profile: string,
): Promise<void> {
  const { unpackedBytes: bytesMax, filesMax } = profileFileLimits
  return unpackSealed(sealed, key, join(profile, 'Default'), {
    ...{ bytesMax, filesMax, isPlace },
    damaged: 'The stored profile is damaged; make an earlier version of it the newest one.',
  })
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

function tooLargeError(): ServiceError {
  const text =
    'The profile is larger than this service saves. Remove what sites have stored, or ask the ' +
    'operator to raise PROFILE_MAX_MIB.'
  return new ServiceError('storage_full', text)
}
