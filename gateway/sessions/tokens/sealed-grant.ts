/**
 * A signed grant for one session: a word for what is allowed, the id of the key that created it, an
 * expiry, and a MAC over them. It contains no secret, and gateways need not store it.
 */
import { createHmac } from 'node:crypto'
import { equalInConstantTime } from '../../../proto/accounts/key.ts'

export interface SealedGrant {
  /** Letters and hyphens only. */
  readonly word: string
  /** The grant ends with this key at the latest. */
  readonly keyId: string
  /** Wall-clock ms; absent on a grant that is valid as long as its session. */
  readonly expiresAtMs?: number
}

/**
 * The session, and the number of times its grants have been revoked: grants of earlier generations
 * are invalid.
 */
export interface GrantTarget {
  readonly sessionId: string
  readonly generation: number
}

/** A grant is valid for one purpose only. */
export type GrantPurpose = 'live' | 'session'

interface Seal {
  readonly secret: string
  readonly purpose: GrantPurpose
  readonly target: GrantTarget
}

const noExpiry = 'session'

export function sealGrant(seal: Seal, { word, keyId, expiresAtMs }: SealedGrant): string {
  const right = `${word}.${keyId}.${expiresAtMs?.toString(36) ?? noExpiry}`
  return `${right}.${mac(seal, right)}`
}

/** Returns undefined for a grant that is not ours or has expired. */
export function openGrant(text: string, seal: Seal, nowMs: number): SealedGrant | undefined {
  const [word = '', keyId = '', expiry = '', given = ''] = text.split('.')
  if (!equalInConstantTime(given, mac(seal, `${word}.${keyId}.${expiry}`))) return undefined
  if (expiry === noExpiry) return { word, keyId }
  const expiresAtMs = Number.parseInt(expiry, 36)
  return expiresAtMs > nowMs ? { word, keyId, expiresAtMs } : undefined
}

function mac({ secret, purpose, target: { sessionId, generation } }: Seal, right: string): string {
  const text = `${purpose}:${sessionId}:${generation}:${right}`
  return createHmac('sha256', secret).update(text).digest('base64url')
}
