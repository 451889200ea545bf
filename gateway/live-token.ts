/**
 * What opens one session's live view for a while: a mode and an expiry with a MAC over both. No
 * key is inside, and no gateway has to remember it.
 */
import { createHmac } from 'node:crypto'
import { equal } from '../proto/key.ts'

export const liveModes = ['view', 'control'] as const
/** `view` sees, `control` also moves. */
export type LiveMode = (typeof liveModes)[number]

export interface LiveGrant {
  readonly mode: LiveMode
  readonly expiresAtMs: number
}

export function liveToken(
  secret: string,
  sessionId: string,
  { mode, expiresAtMs }: LiveGrant,
): string {
  const right = `${mode}.${expiresAtMs.toString(36)}`
  return `${right}.${mac(secret, sessionId, right)}`
}

/** What a token grants on that session; nothing when it is not one of ours, or too old. */
export function readLiveToken(
  token: string,
  secret: string,
  sessionId: string,
  nowMs: number,
): LiveGrant | undefined {
  const [word = '', expiry = '', given = ''] = token.split('.')
  if (!equal(given, mac(secret, sessionId, `${word}.${expiry}`))) return undefined
  const mode = liveModes.find((known) => known === word)
  const expiresAtMs = Number.parseInt(expiry, 36)
  return mode && expiresAtMs > nowMs ? { mode, expiresAtMs } : undefined
}

function mac(secret: string, sessionId: string, right: string): string {
  return createHmac('sha256', secret).update(`live:${sessionId}:${right}`).digest('base64url')
}
