/**
 * What opens one session for a while: a word for what may be done, the id of the key that it was made
 * with, and an expiry, with a MAC over them. No secret is inside, and no gateway has to remember it.
 */
import { createHmac } from 'node:crypto'
import { equal } from '../../proto/key.ts'

export interface SealedGrant {
  /** Letters and hyphens. */
  readonly word: string
  /** It is good no longer than this key. */
  readonly keyId: string
  /** Wall-clock ms; absent on one that is good as long as its session. */
  readonly expiresAtMs?: number
}

/** Which session, and how often all its grants have been ended: those from before are not good. */
export interface GrantTarget {
  readonly sessionId: string
  readonly generation: number
}

/** A grant of one purpose opens nothing of another. */
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

/** Undefined when it is not one of ours, or too old. */
export function openGrant(text: string, seal: Seal, nowMs: number): SealedGrant | undefined {
  const [word = '', keyId = '', expiry = '', given = ''] = text.split('.')
  if (!equal(given, mac(seal, `${word}.${keyId}.${expiry}`))) return undefined
  if (expiry === noExpiry) return { word, keyId }
  const expiresAtMs = Number.parseInt(expiry, 36)
  return expiresAtMs > nowMs ? { word, keyId, expiresAtMs } : undefined
}

function mac({ secret, purpose, target: { sessionId, generation } }: Seal, right: string): string {
  const text = `${purpose}:${sessionId}:${generation}:${right}`
  return createHmac('sha256', secret).update(text).digest('base64url')
}
