/**
 * Small secrets at rest: AES-256-GCM under a key that all hosts of one service share. A sealed text
 * names its key and opens only in the place it was sealed for, so one that is copied to another
 * tenant's record is as good as broken.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ServiceError } from '../proto/errors.ts'
import type { Config } from './config.ts'

export interface Sealer {
  /** `context` says where it will stand: `['task', id]`, `['credential', tenant, provider]`. */
  seal(text: string, context: SealContext): string
  /** Throws a {@link ServiceError} that says what to mend. */
  open(sealed: string, context: SealContext): string
}
export type SealContext = readonly string[]

type KeySettings = Pick<Config, 'SEAL_KEY' | 'DATA_DIR'>

const sealKeyBytes = 32
const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const pattern = /^v1\.([A-Za-z0-9_-]{8})\.([A-Za-z0-9_-]+)$/

/**
 * The sealer of this host: its key is SEAL_KEY, else the file that `troupe up` has made. Without
 * either it refuses what it is asked, and nothing else.
 */
export function openSealer(settings: KeySettings): Sealer {
  const text = settings.SEAL_KEY || readKeyFile(settings.DATA_DIR)
  return text === undefined ? noSealer : new KeySealer(Buffer.from(text, 'base64'))
}

/** Makes the key of a service that has none yet; the first start does. */
export function ensureSealKey({ SEAL_KEY, DATA_DIR }: KeySettings): void {
  if (SEAL_KEY !== '' || existsSync(keyFile(DATA_DIR))) return
  mkdirSync(DATA_DIR, { recursive: true, mode: 0o700 })
  const text = `${randomBytes(sealKeyBytes).toString('base64')}\n`
  writeFileSync(keyFile(DATA_DIR), text, { mode: 0o600, flag: 'wx' })
}

class KeySealer implements Sealer {
  readonly #key: Buffer
  readonly #keyId: string

  constructor(key: Buffer) {
    this.#key = key
    this.#keyId = createHash('sha256').update('seal:').update(key).digest('base64url').slice(0, 8)
  }

  seal(text: string, context: SealContext): string {
    const nonce = randomBytes(nonceBytes)
    const sealing = createCipheriv(cipher, this.#key, nonce, { authTagLength: tagBytes })
    sealing.setAAD(this.#bound(context))
    const bytes = [nonce, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()]
    return `v1.${this.#keyId}.${Buffer.concat(bytes).toString('base64url')}`
  }

  open(sealed: string, context: SealContext): string {
    const [, keyId, text = ''] = pattern.exec(sealed) ?? []
    if (keyId === undefined) throw unusable('A secret that is kept is no sealed text.')
    if (keyId !== this.#keyId) throw otherKey(keyId, this.#keyId)
    const bytes = Buffer.from(text, 'base64url')
    const tagAt = bytes.byteLength - tagBytes
    if (tagAt < nonceBytes) throw unusable('A secret that is kept has been cut short.')
    const nonce = bytes.subarray(0, nonceBytes)
    const opening = createDecipheriv(cipher, this.#key, nonce, { authTagLength: tagBytes })
    opening.setAAD(this.#bound(context))
    opening.setAuthTag(bytes.subarray(tagAt))
    try {
      const open = [opening.update(bytes.subarray(nonceBytes, tagAt)), opening.final()]
      return Buffer.concat(open).toString('utf8')
    } catch (cause) {
      throw unusable('A secret that is kept was changed, or moved from elsewhere.', cause)
    }
  }

  /** The key's id is bound too: it stands in the clear. */
  #bound(context: SealContext): Buffer {
    return Buffer.from(JSON.stringify(['troupe', this.#keyId, ...context]))
  }
}

const howTo =
  'All hosts of one service share one SEAL_KEY: set it to the first host’s, ' +
  'which is in its environment or in DATA_DIR/seal.key'

const noSealer: Sealer = {
  seal: () => refuse(),
  open: () => refuse(),
}

function refuse(): never {
  throw unusable(`This host cannot keep secrets yet. ${howTo} (openssl rand -base64 32 makes one).`)
}

function otherKey(theirs: string, ours: string): ServiceError {
  return unusable(
    `A secret was sealed with key ${theirs}, and this host has key ${ours}. ${howTo}.`,
  )
}

function unusable(message: string, cause?: unknown): ServiceError {
  return new ServiceError('internal', message, {}, cause)
}

const keyFile = (dataDir: string) => join(dataDir, 'seal.key')

function readKeyFile(dataDir: string): string | undefined {
  const file = keyFile(dataDir)
  if (!existsSync(file)) return undefined
  const text = readFileSync(file, 'utf8').trim()
  if (isSealKey(text)) return text
  throw unusable(`${file} has to hold ${sealKeyBytes} bytes in base64; restore it from a backup.`)
}

/** Base64 in either alphabet. */
export function isSealKey(text: string): boolean {
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(text) && Buffer.from(text, 'base64').length === sealKeyBytes
}
