/** What opens one session's live view: the token in a link. */
import { openGrant, sealGrant, type GrantTarget, type SealedGrant } from './sealed-grant.ts'

export const liveModes = ['view', 'control'] as const
/** `view` sees, `control` also moves. */
export type LiveMode = (typeof liveModes)[number]

export interface LiveGrant extends Pick<SealedGrant, 'keyId' | 'expiresAtMs'> {
  readonly mode: LiveMode
}

export function liveToken(secret: string, target: GrantTarget, grant: LiveGrant): string {
  const { mode, ...rest } = grant
  return sealGrant({ secret, purpose: 'live', target }, { word: mode, ...rest })
}

/** What a token grants on that session; nothing when it is not one of ours, or too old. */
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
