/** The token in a link to one session's live view. */
import { openGrant, sealGrant, type GrantTarget, type SealedGrant } from './sealed-grant.ts'

export const liveModes = ['view', 'control'] as const
/** `view` may watch, `control` may also send input. */
export type LiveMode = (typeof liveModes)[number]

export interface LiveGrant extends Pick<SealedGrant, 'keyId' | 'expiresAtMs'> {
  readonly mode: LiveMode
}

export function liveToken(secret: string, target: GrantTarget, grant: LiveGrant): string {
  const { mode, ...rest } = grant
  return sealGrant({ secret, purpose: 'live', target }, { word: mode, ...rest })
}

/** Returns what a token grants on that session; undefined if it is invalid or expired. */
export function readLiveToken(
  token: string,
  secret: string,
  target: GrantTarget,
  nowMs: number,
): LiveGrant | undefined {
  const grant = openGrant(token, { secret, purpose: 'live', target }, nowMs)
  const mode = liveModes.find((known) => known === grant?.word)
  if (!grant || !mode) return undefined
  const { word: _, ...rest } = grant
  return { mode, ...rest }
}
