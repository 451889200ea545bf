/**
 * Signs what must be provable as this service's own even years later: Ed25519, with keys derived
 * from the seal keys, so that there is no second secret to store. The owner of a seal key can
 * verify what was signed with it.
 */
import {
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto'
import { openKeys, type KeySettings, type SealKey } from './seal-keys.ts'

export interface SignedText {
  readonly keyId: string
  /** Base64url. */
  readonly signature: string
}

export interface TextSigner {
  /** Undefined if this host has no key. */
  sign(text: string): SignedText | undefined
  /** Undefined if the key is not one of ours. */
  isSigned(text: string, signed: SignedText): boolean | undefined
}

/** The prefix that makes 32 bytes an Ed25519 key in PKCS #8 (RFC 8410). */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex')

export function openSigner(settings: KeySettings, purpose: string): TextSigner {
  const keys = openKeys(settings)
  const derived = new Map<string, KeyObject>()
  const keyOf = (key: SealKey): KeyObject => {
    const made = derived.get(key.id) ?? derive(key, purpose)
    derived.set(key.id, made)
    return made
  }
  return {
    sign(text) {
      const [key] = keys()
      if (!key) return undefined
      const signature = sign(null, Buffer.from(text), keyOf(key)).toString('base64url')
      return { keyId: key.id, signature }
    },
    isSigned(text, { keyId, signature }) {
      const key = keys().find(({ id }) => id === keyId)
      if (!key) return undefined
      const bytes = Buffer.from(signature, 'base64url')
      return verify(null, Buffer.from(text), createPublicKey(keyOf(key)), bytes)
    },
  }
}

function derive({ bytes }: SealKey, purpose: string): KeyObject {
  const seed = Buffer.from(hkdfSync('sha256', bytes, 'troupe', `sign:${purpose}`, 32))
  return createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: 'der', type: 'pkcs8' })
}
