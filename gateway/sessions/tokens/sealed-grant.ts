/**
 * A signed grant for one session: a word for what is allowed, the id of the key that created it, an
 * expiry, and a MAC over them. It contains no secret, and gateways need not store it.
 */
import { createHmac } from 'node:crypto'
import { defined } from '../../../proto/defined.ts'
import { equalInConstantTime } from '../../../proto/accounts/key.ts'

export interface SealedGrant {
  /** Letters and hyphens only. */
  readonly word: string
  /** The grant ends with this key at the latest. */
  readonly keyId: string
  /** Wall-clock ms; absent on a grant that is valid as long as its session. */
  readonly expiresAtMs?: number
  /** More about what is allowed: letters of base64url. */
  readonly more?: string
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
export type GrantPurpose = 'live' | 'session' | 'recording'

interface Seal {
  readonly secret: string
  readonly purpose: GrantPurpose
  readonly target: GrantTarget
}

const noExpiry = 'session'

export function sealGrant(seal: Seal, { word, keyId, expiresAtMs, more }: SealedGrant): string {
  const expiry = expiresAtMs?.toString(36) ?? noExpiry
  const right = [word, keyId, expiry, ...(more === undefined ? [] : [more])].join('.')
  return `${right}.${mac(seal, right)}`
}

/** Returns undefined for a grant that is not ours or has expired. */
export function openGrant(text: string, seal: Seal, nowMs: number): SealedGrant | undefined {
  const parts = text.split('.')
  const given = parts.pop() ?? ''
  const [word = '', keyId = '', expiry = '', more] = parts
  if (!equalInConstantTime(given, mac(seal, parts.join('.')))) return undefined
  const grant = { word, keyId, ...defined({ more }) }
  if (expiry === noExpiry) return grant
  const expiresAtMs = Number.parseInt(expiry, 36)
  return expiresAtMs > nowMs ? { ...grant, expiresAtMs } : undefined
}

/** Words as `more`; undefined for none. */
export const sealedWords = (words: readonly string[]): string | undefined =>
  words.length > 0 ? Buffer.from(words.join(' ')).toString('base64url') : undefined

export const wordsSealed = (more: string | undefined): readonly string[] =>
  more ? Buffer.from(more, 'base64url').toString('utf8').split(' ') : []

function mac({ secret, purpose, target: { sessionId, generation } }: Seal, right: string): string {
  const text = `${purpose}:${sessionId}:${generation}:${right}`
  return createHmac('sha256', secret).update(text).digest('base64url')
}
