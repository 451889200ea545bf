/**
 * The keys that seal secrets: SEAL_KEY, comma-separated, else the lines of DATA_DIR/seal.key. The
 * first one seals and all of them open, so keys can be added and removed while the service runs. A
 * changed file is read again.
 */
import { createHash, randomBytes } from 'node:crypto'
import {
  chownSync,
  existsSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
  type Stats,
} from 'node:fs'
import { join } from 'node:path'
import { ServiceError } from '../../../proto/errors.ts'
import { makePrivateFolder } from '../../lib/files/make-folder.ts'

export interface SealKey {
  /** Identifies the key without revealing it, because it is stored unencrypted. */
  readonly id: string
  readonly bytes: Buffer
}

export interface KeySettings {
  readonly SEAL_KEY: string
  readonly DATA_DIR: string
}

const keyBytes = 32
/** Flushed to disk before it is used: all secrets would be lost with the key. */
const keyFileOptions = { mode: 0o600, flush: true } as const

/** The returned function is called for each secret, because keys may change. */
export function openKeys({ SEAL_KEY, DATA_DIR }: KeySettings): () => readonly SealKey[] {
  if (SEAL_KEY !== '') {
    const keys = keysIn(SEAL_KEY)
    return () => keys
  }
  const file = new KeyFile(keyFileOf(DATA_DIR))
  return () => file.keys()
}

export const keyFileOf = (dataDir: string) => join(dataDir, 'seal.key')

/** Base64 keys in either alphabet, comma-separated. */
export function isSealKeys(text: string): boolean {
  return text.split(',').every((item) => isKey(item.trim()))
}

/** Creates the key of a new service; called by the first start. */
export function ensureSealKey({ SEAL_KEY, DATA_DIR }: KeySettings): void {
  const path = keyFileOf(DATA_DIR)
  if (SEAL_KEY !== '' || existsSync(path)) return
  makePrivateFolder(DATA_DIR)
  writeFileSync(path, `${newKey()}\n`, { ...keyFileOptions, flag: 'wx' })
}

/** Adds a new key before those in the file and returns its id. */
export function renewSealKey(dataDir: string): string {
  const path = keyFileOf(dataDir)
  const key = newKey()
  const next = `${path}.new`
  const { uid, gid } = statSync(path)
  writeFileSync(next, `${key}\n${readFileSync(path, 'utf8').trim()}\n`, keyFileOptions)
  // Root may do this for the service's user, who has to be able to read it.
  chownSync(next, uid, gid)
  renameSync(next, path)
  return keysIn(key)[0]!.id
}

/** A problem with the file's permissions, and its remedy; the key is used anyway. */
export function keyFileProblem({
  SEAL_KEY,
  DATA_DIR,
}: KeySettings): { readonly found: string; readonly fix: string } | undefined {
  const path = keyFileOf(DATA_DIR)
  const stats = SEAL_KEY === '' ? statsOf(path) : undefined
  if (!stats || (stats.mode & 0o077) === 0) return undefined
  return { found: 'other users of this machine can read the key', fix: `chmod 600 ${path}` }
}

class KeyFile {
  readonly #path: string
  #keys: readonly SealKey[] = []
  #readAs: string | undefined

  constructor(path: string) {
    this.#path = path
    const stats = statsOf(path)
    if (stats) this.#read(stats)
  }

  keys(): readonly SealKey[] {
    const stats = statsOf(this.#path)
    if (!stats || versionOf(stats) === this.#readAs) return this.#keys
    try {
      this.#read(stats)
    } catch {
      // An editor may be in the middle of saving: the previous keys are used until the file is
      // valid again.
    }
    return this.#keys
  }

  #read(stats: Stats): void {
    this.#keys = keysOfFile(this.#path)
    this.#readAs = versionOf(stats)
  }
}

const versionOf = ({ ino, size, mtimeMs }: Stats) => `${ino}.${size}.${mtimeMs}`

function keysOfFile(path: string): readonly SealKey[] {
  const lines = textOf(path)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (lines.length > 0 && lines.every(isKey)) return keysIn(lines.join(','))
  throw unusableKeyError(
    `${path} must contain ${keyBytes} bytes in base64 on each line; restore it from a backup.`,
  )
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw unreadableKeyError(path, cause)
  }
}

/** Undefined if there is no such file, also because DATA_DIR is no folder. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined
    throw unreadableKeyError(path, cause)
  }
}

function unreadableKeyError(path: string, cause: unknown): ServiceError {
  const why = (cause as NodeJS.ErrnoException).code
  return unusableKeyError(`${path} cannot be read (${why}): run this as the service's user.`, cause)
}

const newKey = () => randomBytes(keyBytes).toString('base64')

function isKey(text: string): boolean {
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(text) && Buffer.from(text, 'base64').length === keyBytes
}

function keysIn(text: string): readonly SealKey[] {
  return text.split(',').map((item) => {
    const bytes = Buffer.from(item.trim(), 'base64')
    const id = createHash('sha256').update('seal:').update(bytes).digest('base64url').slice(0, 8)
    return { id, bytes }
  })
}

/** Stored secrets or their keys are invalid: a person must repair it. */
export function unusableKeyError(message: string, cause?: unknown): ServiceError {
  return new ServiceError('internal', message, {}, cause)
}
