/**
 * API keys. The text `trp_<id>_<secret>` is shown once; KV `keys` holds `<id>` → the record with
 * the secret's SHA-256. (A plain hash is enough: the secret has 160 random bits.)
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export interface KeyRecord {
  readonly id: string
  readonly name: string
  readonly tenant: string
  readonly secretHash: string
  readonly createdAtMs: number
  readonly expiresAtMs?: number
  readonly revokedAtMs?: number
  readonly limits: {
    /** Most sessions alive at once under this key's tenant through this key. */
    readonly sessions?: number
  }
}

export const devKey = 'dev-local-key'
export const devTenant = 'default'

const keyPattern = /^trp_([a-z0-9]{12})_([A-Za-z0-9-]{27})$/
const sessionKeyPattern = /^tss_([A-Za-z0-9_-]{43})$/

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
  return equal(record.secretHash, hash(secret))
}

/** The key in a `cdp_url`: good for one session's sockets only, derived from it, stored nowhere. */
export function sessionKey(serviceSecret: string, sessionId: string): string {
  return `tss_${createHmac('sha256', serviceSecret).update(`cdp:${sessionId}`).digest('base64url')}`
}

export function sessionKeyMatches(text: string, serviceSecret: string, sessionId: string): boolean {
  return sessionKeyPattern.test(text) && equal(text, sessionKey(serviceSecret, sessionId))
}

/** Constant-time comparison of two texts. */
export function equal(a: string, b: string): boolean {
  const left = createHash('sha256').update(a).digest()
  const right = createHash('sha256').update(b).digest()
  return timingSafeEqual(left, right)
}

function hash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
