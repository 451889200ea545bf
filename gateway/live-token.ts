/**
 * What opens one session's live view for a while: an expiry and a MAC over it, with no key inside.
 */
import { createHmac } from 'node:crypto'
import { equal } from '../proto/key.ts'

export function liveToken(secret: string, sessionId: string, expiresAtMs: number): string {
  const expiry = expiresAtMs.toString(36)
  return `${expiry}.${mac(secret, sessionId, expiry)}`
}

export function liveTokenMatches(
  token: string,
  secret: string,
  sessionId: string,
  nowMs: number,
): boolean {
  const [expiry = '', given = ''] = token.split('.')
  const expiresAtMs = Number.parseInt(expiry, 36)
  return equal(given, mac(secret, sessionId, expiry)) && expiresAtMs > nowMs
}

function mac(secret: string, sessionId: string, expiry: string): string {
  return createHmac('sha256', secret).update(`live:${sessionId}:${expiry}`).digest('base64url')
}
