/**
 * Encryption of small secrets: AES-256-GCM with keys that all hosts of a service share. A sealed
 * text names its key and can be opened only in the context it was sealed for, so a copy in another
 * tenant's record does not open.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { ServiceError } from '../../../proto/errors.ts'
import { openKeys, unusableKeyError, type KeySettings, type SealKey } from './seal-keys.ts'

export interface Sealer {
  /** `context` says where it will be stored: `['task', id]`, `['credential', tenant, provider]`. */
  seal(text: string, context: SealContext): string
  /** Throws a {@link ServiceError} that says what to repair. */
  open(sealed: string, context: SealContext): string
  /**
   * Ids of the keys that it opens with; it seals with the first. Empty: no secrets can be stored
   * yet.
   */
  keyIds(): readonly string[]
}
export type SealContext = readonly string[]

const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const pattern = /^v1\.([A-Za-z0-9_-]{8})\.([A-Za-z0-9_-]+)$/

/** The sealer of this host. Without a key, only its own calls fail. */
export function openSealer(settings: KeySettings): Sealer {
  return new KeySealer(openKeys(settings))
}

/** The id of the key that opens it; undefined if it is not a sealed text. */
export function sealedWith(sealed: string): string | undefined {
  return pattern.exec(sealed)?.[1]
}

/**
 * Opens what a caller was given to keep and has sent back. Undefined if it is another text, or was
 * sealed for something else, or with a key that is no longer used. Throws if this host has no key.
 */
export function openKept(
  sealer: Pick<Sealer, 'open' | 'keyIds'>,
  sealed: string,
  context: SealContext,
): string | undefined {
  if (sealer.keyIds().length === 0) throw noKey()
  try {
    return sealer.open(sealed, context)
  } catch (error) {
    if (error instanceof ServiceError) return undefined
    throw error
  }
}

class KeySealer implements Sealer {
  readonly #keys: () => readonly SealKey[]

  constructor(keys: () => readonly SealKey[]) {
    this.#keys = keys
  }

  keyIds(): readonly string[] {
    return this.#keys().map(({ id }) => id)
  }

  seal(text: string, context: SealContext): string {
    const [key] = this.#keys()
    if (!key) throw noKey()
    const nonce = randomBytes(nonceBytes)
    const sealing = createCipheriv(cipher, key.bytes, nonce, { authTagLength: tagBytes })
    sealing.setAAD(bound(key, context))
    const bytes = [nonce, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()]
    return `v1.${key.id}.${Buffer.concat(bytes).toString('base64url')}`
  }

  open(sealed: string, context: SealContext): string {
    const [, keyId, text = ''] = pattern.exec(sealed) ?? []
    if (keyId === undefined) throw unusableKeyError('A stored secret is not a sealed text.')
    const key = this.#keyOf(keyId)
    const bytes = Buffer.from(text, 'base64url')
    const tagAt = bytes.byteLength - tagBytes
    if (tagAt < nonceBytes) throw unusableKeyError('A stored secret was truncated.')
    const nonce = bytes.subarray(0, nonceBytes)
    const opening = createDecipheriv(cipher, key.bytes, nonce, { authTagLength: tagBytes })
    opening.setAAD(bound(key, context))
    opening.setAuthTag(bytes.subarray(tagAt))
    try {
      const open = [opening.update(bytes.subarray(nonceBytes, tagAt)), opening.final()]
      return Buffer.concat(open).toString('utf8')
    } catch (cause) {
      throw unusableKeyError('A stored secret was changed, or copied from another record.', cause)
    }
  }

  #keyOf(keyId: string): SealKey {
    const keys = this.#keys()
    const key = keys.find(({ id }) => id === keyId)
    if (key) return key
    throw keys.length === 0 ? noKey() : otherKeyError(keyId, this.keyIds())
  }
}

/** Authenticates the key's id too, because it is not encrypted. */
function bound({ id }: SealKey, context: SealContext): Buffer {
  return Buffer.from(JSON.stringify(['troupe', id, ...context]))
}

const whereKeysAre = 'in SEAL_KEY of its environment or in DATA_DIR/seal.key'

export function noKey(): ServiceError {
  const message =
    'This host cannot store secrets yet, because it has no key. All hosts of a service share their keys: ' +
    `copy it from another, where it is ${whereKeysAre} (openssl rand -base64 32 creates the first).`
  return new ServiceError('unavailable', message)
}

function otherKeyError(theirs: string, ours: readonly string[]): ServiceError {
  const owned = `${ours.length === 1 ? 'key' : 'keys'} ${ours.join(', ')}`
  return unusableKeyError(
    `A secret was sealed with key ${theirs}, and this host has ${owned}. Add that key here, behind ` +
      `the first: the host that sealed it has it ${whereKeysAre}. If it is lost, so is the secret: ` +
      'set it again.',
  )
}
