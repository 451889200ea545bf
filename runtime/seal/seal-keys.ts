/**
 * The keys that secrets are kept under: SEAL_KEY, comma-separated, else the lines of
 * DATA_DIR/seal.key. The first seals and all open, so a new one is brought in, and an old one let
 * go, while the service runs. A file that changes is read again.
 */
import { createHash, randomBytes } from 'node:crypto'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
  type Stats,
} from 'node:fs'
import { join } from 'node:path'
import { ServiceError } from '../../proto/errors.ts'
import type { Config } from '../config.ts'

export interface SealKey {
  /** Tells it from others, and nothing of it: it stands in the clear. */
  readonly id: string
  readonly bytes: Buffer
}

export type KeySettings = Pick<Config, 'SEAL_KEY' | 'DATA_DIR'>

const keyBytes = 32
/** On the disk before anything is sealed with it: a key that is lost takes all secrets along. */
const keyFileOptions = { mode: 0o600, flush: true } as const

/** What it returns is asked for anew with each secret. */
export function openKeys({ SEAL_KEY, DATA_DIR }: KeySettings): () => readonly SealKey[] {
  if (SEAL_KEY !== '') {
    const keys = keysIn(SEAL_KEY)
    return () => keys
  }
  const file = new KeyFile(keyFileOf(DATA_DIR))
  return () => file.keys()
}

export const keyFileOf = (dataDir: string) => join(dataDir, 'seal.key')

/** Keys in base64 of either alphabet, comma-separated. */
export function isSealKeys(text: string): boolean {
  return text.split(',').every((item) => isKey(item.trim()))
}

/** Makes the key of a service that has none yet; the first start does. */
export function ensureSealKey({ SEAL_KEY, DATA_DIR }: KeySettings): void {
  const path = keyFileOf(DATA_DIR)
  if (SEAL_KEY !== '' || existsSync(path)) return
  mkdirSync(DATA_DIR, { recursive: true, mode: 0o700 })
  writeFileSync(path, `${newKey()}\n`, { ...keyFileOptions, flag: 'wx' })
}

/** Puts a new key in front of those in the file, and returns its id. */
export function renewSealKey(dataDir: string): string {
  const path = keyFileOf(dataDir)
  const key = newKey()
  const next = `${path}.new`
  const { uid, gid } = statSync(path)
  writeFileSync(next, `${key}\n${readFileSync(path, 'utf8').trim()}\n`, keyFileOptions)
  // Root may do this for the user that runs the service, who has to read it.
  chownSync(next, uid, gid)
  renameSync(next, path)
  return keysIn(key)[0]!.id
}

/** What is wrong with the way the file is kept, and its remedy; it works all the same. */
export function keyFileTrouble({
  SEAL_KEY,
  DATA_DIR,
}: KeySettings): { readonly found: string; readonly mend: string } | undefined {
  const path = keyFileOf(DATA_DIR)
  const stats = SEAL_KEY === '' ? statSync(path, { throwIfNoEntry: false }) : undefined
  if (!stats || (stats.mode & 0o077) === 0) return undefined
  return { found: 'other users of this machine can read the key', mend: `chmod 600 ${path}` }
}

class KeyFile {
  readonly #path: string
  #keys: readonly SealKey[] = []
  #readAs: string | undefined

  constructor(path: string) {
    this.#path = path
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats) this.#read(stats)
  }

  keys(): readonly SealKey[] {
    const stats = statSync(this.#path, { throwIfNoEntry: false })
    if (!stats || versionOf(stats) === this.#readAs) return this.#keys
    try {
      this.#read(stats)
    } catch {
      // An editor may be half way through: what was good is good until the file is again.
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
  throw unusable(
    `${path} has to hold ${keyBytes} bytes in base64 on each line; restore it from a backup.`,
  )
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code
    throw unusable(`${path} cannot be read (${why}): run this as the service's user.`, cause)
  }
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

/** Secrets that are kept, or their keys, are not as they have to be: a person must mend it. */
export function unusable(message: string, cause?: unknown): ServiceError {
  return new ServiceError('internal', message, {}, cause)
}
