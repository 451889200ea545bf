/**
 * API keys. The text `trp_<id>_<secret>` is shown once; KV `keys` holds `<id>` → the record with
 * the secret's SHA-256. (A plain hash is enough: the secret has 160 random bits.)
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { keyScopeNames, tenantScopes, type KeyScope } from './key-scopes.ts'

export interface KeyRecord {
  readonly id: string
  readonly name: string
  readonly tenant: string
  readonly secretHash: string
  readonly createdAtMs: number
  readonly expiresAtMs?: number
  readonly revokedAtMs?: number
  /** When a request or a connection last came with it, accurate to the minute. */
  readonly lastUsedAtMs?: number
  /** Absent: `tenantScopes`. */
  readonly scopes?: readonly KeyScope[]
  /** Its sessions may reach private networks if they ask for it. */
  readonly allowPrivate?: boolean
  readonly limits: {
    /** The most sessions of this key's tenant, created with this key, that may live at once. */
    readonly sessions?: number
  }
}

/** The key id of the development key, which has no record. */
export const devKeyId = 'dev'
/** The key id of a caller who needs no key. */
export const noKeyId = 'none'
export const devTenant = 'default'
/** All scopes: a caller with it is on this machine, like its operator. */
export const devScopes: readonly KeyScope[] = keyScopeNames

const keyPattern = /^trp_([a-z0-9]{12})_([A-Za-z0-9-]{27})$/
const sessionKeyPattern = /^tss_([a-z0-9]{12}|dev)_[A-Za-z0-9_-]{43}$/

const lettersOnly = (bytes: Buffer, chars: number) =>
  bytes.toString('base64url').replaceAll('_', '-').slice(0, chars)

export function newKey(): { id: string; text: string; secretHash: string } {
  const id = randomBytes(9).toString('hex').slice(0, 12)
  const secret = lettersOnly(randomBytes(24), 27)
  return { id, text: `trp_${id}_${secret}`, secretHash: hash(secret) }
}

export function parseKey(text: string): { id: string; secret: string } | undefined {
  const match = keyPattern.exec(text)
  return match ? { id: match[1]!, secret: match[2]! } : undefined
}

export function keyMatches(record: KeyRecord, secret: string): boolean {
  return equalInConstantTime(record.secretHash, hash(secret))
}

export const keyScopesOf = ({ scopes }: Pick<KeyRecord, 'scopes'>): readonly KeyScope[] =>
  scopes ?? tenantScopes

export function isKeyOver({ revokedAtMs, expiresAtMs }: KeyRecord, nowMs: number): boolean {
  return revokedAtMs !== undefined || (expiresAtMs !== undefined && expiresAtMs <= nowMs)
}

/**
 * The key in a `cdp_url`: valid for one session's sockets only, and no longer than the key it was
 * made for. It is derived from both and stored nowhere.
 */
export function sessionKey(serviceSecret: string, sessionId: string, keyId: string): string {
  const mac = createHmac('sha256', serviceSecret).update(`cdp:${sessionId}:${keyId}`)
  return `tss_${keyId}_${mac.digest('base64url')}`
}

/** Whether the text looks like the key in a `cdp_url`; it may still be a wrong one. */
export const isSessionKey = (text: string): boolean => sessionKeyPattern.test(text)

/** The id of the key that a session key was derived from; undefined if it is not a valid one. */
export function sessionKeyOwner(
  text: string,
  serviceSecret: string,
  sessionId: string,
): string | undefined {
  const [, keyId] = sessionKeyPattern.exec(text) ?? []
  if (keyId === undefined) return undefined
  return equalInConstantTime(text, sessionKey(serviceSecret, sessionId, keyId)) ? keyId : undefined
}

/** Compares two texts in a time that depends on their lengths alone, which are no secret. */
export function equalInConstantTime(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.byteLength === right.byteLength && timingSafeEqual(left, right)
}

function hash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
