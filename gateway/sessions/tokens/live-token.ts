/** The token in a link to one session's live view. */
import { defined } from '../../../proto/defined.ts'
import {
  openGrant,
  sealedWords,
  sealGrant,
  wordsSealed,
  type GrantTarget,
  type SealedGrant,
} from './sealed-grant.ts'

export const liveModes = ['view', 'control'] as const
/** `view` may watch, `control` may also send input. */
export type LiveMode = (typeof liveModes)[number]

export interface LiveGrant extends Pick<SealedGrant, 'keyId' | 'expiresAtMs'> {
  readonly mode: LiveMode
  /** Origins of the pages that may have the view in a frame; absent: none. */
  readonly frameAncestors?: readonly string[]
  /** Makes the link another one than the next, and one for its first viewer only. */
  readonly once?: string
}

const onceSuffix = '-once'

export function liveToken(secret: string, target: GrantTarget, grant: LiveGrant): string {
  const { mode, frameAncestors = [], once, ...rest } = grant
  const words = once === undefined ? frameAncestors : [once, ...frameAncestors]
  const more = sealedWords(words)
  const word = once === undefined ? mode : mode + onceSuffix
  return sealGrant({ secret, purpose: 'live', target }, { word, ...rest, ...defined({ more }) })
}

/** Returns what a token grants on that session; undefined if it is invalid or expired. */
export function readLiveToken(
  token: string,
  secret: string,
  target: GrantTarget,
  nowMs: number,
): LiveGrant | undefined {
  const grant = openGrant(token, { secret, purpose: 'live', target }, nowMs)
  const { word = '', more, ...rest } = grant ?? {}
  const isOnce = word.endsWith(onceSuffix)
  const mode = liveModes.find(
    (known) => known === (isOnce ? word.slice(0, -onceSuffix.length) : word),
  )
  if (!grant || !mode) return undefined
  const words = wordsSealed(more)
  const once = isOnce ? words[0] : undefined
  const frameAncestors = isOnce ? words.slice(1) : words
  return {
    ...{ mode, keyId: grant.keyId },
    ...rest,
    ...(frameAncestors.length > 0 && { frameAncestors }),
    ...defined({ once }),
  }
}
