/**
 * What of a browser's folder is its profile, as a tar archive: the site data and settings below, and
 * nothing else. Caches, histories and what belongs to the host or the session stay behind. A browser
 * may have been taken over by a page, so links are never followed, and an archive may only contain
 * plain files at these places.
 */
import { constants, createWriteStream } from 'node:fs'
import { lstat, mkdir, open, opendir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { extract, pack, type Extract, type Pack } from 'tar-stream'
import { ServiceError } from '../../proto/errors.ts'
import type { StoredCookie } from '../../proto/session/storage-state.ts'
import { BlobDamaged, openStream, sealStream } from '../../runtime/blobs/sealed-stream.ts'
import { contained } from '../../runtime/lib/network/contained.ts'
import { profileFileLimits } from './limits.ts'

/** Below the folder `Default`, whose name is the same in each profile. */
const keptFiles = ['Cookies', 'Cookies-journal', 'Login Data', 'Login Data-journal'] as const
const keptFolders = [
  'File System',
  'IndexedDB',
  'Local Storage',
  'Service Worker',
  'WebStorage',
] as const
/** Of the preferences, only those that pages have been given by a person: permissions. */
const keptPreferences = 'Preferences'
/** What was known of the browser beside its files, see {@link ProfileNotes}; no file of Chromium's. */
const keptNotes = 'notes.json'
/** Databases make them anew. */
const isLeftOut = (name: string) => /^(LOCK|LOG|LOG\.old)$/.test(name)

const wholeName = new RegExp(
  `^(?:${[...keptFiles, keptPreferences, keptNotes].join('|')}|(?:${keptFolders.join('|')})(?:/[^/]+)+)$`,
)

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

/** The permissions that the profile has kept, in the form of Chromium's preferences. */
export async function keptPreferencesOf(profile: string): Promise<KeptPreferences> {
  return permissionsIn(await readJson(join(profile, 'Default', keptPreferences)))
}

/** Of an archive that an agent has made, so they are what they should be. */
export async function keptNotesOf(profile: string): Promise<ProfileNotes> {
  const notes = await readJson(join(profile, 'Default', keptNotes))
  return (notes as ProfileNotes | undefined) ?? { origins: [] }
}

/** Undefined if there is no such file, or if it cannot be Chromium's. */
async function readJson(path: string): Promise<unknown> {
  const file = await openPlain(path)
  if (!file) return undefined
  try {
    const { size } = await file.stat()
    return size > profileFileLimits.jsonBytes
      ? undefined
      : (JSON.parse(await file.readFile('utf8')) as unknown)
  } finally {
    await file.close()
  }
}

export interface KeptPreferences {
  readonly profile?: { readonly [name: string]: unknown }
}

function permissionsIn(preferences: unknown): KeptPreferences {
  const { profile } = (preferences ?? {}) as { profile?: Record<string, unknown> }
  const { content_settings, default_content_setting_values } = profile ?? {}
  return {
    profile: {
      ...(content_settings !== undefined && { content_settings }),
      ...(default_content_setting_values !== undefined && { default_content_setting_values }),
    },
  }
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
  const folder = join(profile, 'Default')
  if (!(await isFolder(folder))) throw new Error('a browser has left no profile')
  const permissions = await keptPreferencesOf(profile)
  yield { name: keptPreferences, content: Buffer.from(JSON.stringify(permissions)) }
  yield { name: keptNotes, content: Buffer.from(JSON.stringify(notes)) }
  for (const name of keptFiles) yield { name, content: join(folder, name) }
  for (const name of keptFolders) yield* filesBelow(folder, name)
}

async function* filesBelow(folder: string, below: string): AsyncGenerator<ProfileFile> {
  if (!(await isFolder(join(folder, below)))) return
  for await (const entry of await opendir(join(folder, below))) {
    if (isLeftOut(entry.name)) continue
    const name = `${below}/${entry.name}`
    if (entry.isDirectory()) yield* filesBelow(folder, name)
    else if (entry.isFile()) yield { name, content: join(folder, name) }
  }
}

/** False for a link to one: it could lead to the profile of another browser. */
async function isFolder(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined)
  return found?.isDirectory() ?? false
}

/** Undefined if there is no plain file. */
async function openPlain(path: string) {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await open(path, flags).catch(() => undefined)
  if (file && (await file.stat()).isFile()) return file
  await file?.close()
  return undefined
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

const isPlace = (name: string) =>
  wholeName.test(name) && !name.split('/').some((part) => part === '..' || part === '.')

function tooLargeError(): ServiceError {
  const text =
    'The profile is larger than this service saves. Remove what sites have stored, or ask the ' +
    'operator to raise PROFILE_MAX_MIB.'
  return new ServiceError('storage_full', text)
}
