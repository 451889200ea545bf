/**
 * What opens one session's live view for a while: a mode, the id of the key that it was made with, and
 * an expiry, with a MAC over them. No secret is inside, and no gateway has to remember it.
 */
import { createHmac } from 'node:crypto'
import { equal } from '../proto/key.ts'

export const liveModes = ['view', 'control'] as const
/** `view` sees, `control` also moves. */
export type LiveMode = (typeof liveModes)[number]

export interface LiveGrant {
  readonly mode: LiveMode
  /** It is good no longer than this key. */
  readonly keyId: string
  /** Wall-clock ms; absent on one that is good as long as its session. */
  readonly expiresAtMs?: number
}

/** Which session, and how often all its links have been ended: those from before are not good. */
export interface LiveTarget {
  readonly sessionId: string
  readonly generation: number
}

const noExpiry = 'session'

export function liveToken(secret: string, target: LiveTarget, grant: LiveGrant): string {
  const right = `${grant.mode}.${grant.keyId}.${grant.expiresAtMs?.toString(36) ?? noExpiry}`
  return `${right}.${mac(secret, target, right)}`
}

/** What a token grants on that session; nothing when it is not one of ours, or too old. */
export function readLiveToken(
  token: string,
  secret: string,
  target: LiveTarget,
  nowMs: number,
): LiveGrant | undefined {
  const [word = '', keyId = '', expiry = '', given = ''] = token.split('.')
  if (!equal(given, mac(secret, target, `${word}.${keyId}.${expiry}`))) return undefined
  const mode = liveModes.find((known) => known === word)
  if (!mode) return undefined
  if (expiry === noExpiry) return { mode, keyId }
  const expiresAtMs = Number.parseInt(expiry, 36)
  return expiresAtMs > nowMs ? { mode, keyId, expiresAtMs } : undefined
}

function mac(secret: string, { sessionId, generation }: LiveTarget, right: string): string {
  const text = `live:${sessionId}:${generation}:${right}`
  return createHmac('sha256', secret).update(text).digest('base64url')
}
