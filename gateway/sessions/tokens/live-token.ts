/** The token in a link to one session's live view. */
import { defined } from '../../../proto/defined.ts'
import { openGrant, sealGrant, type GrantTarget, type SealedGrant } from './sealed-grant.ts'

export const liveModes = ['view', 'control'] as const
/** `view` may watch, `control` may also send input. */
export type LiveMode = (typeof liveModes)[number]

export interface LiveGrant extends Pick<SealedGrant, 'keyId' | 'expiresAtMs'> {
  readonly mode: LiveMode
  /** Origins of the pages that may have the view in a frame; absent: none. */
  readonly frameAncestors?: readonly string[]
}

export function liveToken(secret: string, target: GrantTarget, grant: LiveGrant): string {
  const { mode, frameAncestors, ...rest } = grant
  const more = frameAncestors && Buffer.from(frameAncestors.join(' ')).toString('base64url')
  return sealGrant(
    { secret, purpose: 'live', target },
    { word: mode, ...rest, ...defined({ more }) },
  )
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
  const { word: _, more, ...rest } = grant
  const frameAncestors = more && Buffer.from(more, 'base64url').toString('utf8').split(' ')
  return { mode, ...rest, ...(frameAncestors && { frameAncestors }) }
}
