/**
 * What opens some of one session, for a while: handed to whoever is to have that and no more. It
 * goes where a key goes.
 */
import type { KeyScope } from '../../proto/key-scopes.ts'
import { openGrant, sealGrant, type GrantTarget, type SealedGrant } from './sealed-grant.ts'

/** Each with the scopes of a key of which one is needed to make it. */
export const tokenScopes = {
  cdp: ['drive'],
  control: ['drive'],
  view: ['view', 'drive'],
  files: ['files'],
} as const satisfies Readonly<Record<string, readonly KeyScope[]>>
export type TokenScope = keyof typeof tokenScopes

export const tokenScopeNames = Object.keys(tokenScopes) as readonly TokenScope[]

export interface SessionGrant extends Required<Omit<SealedGrant, 'word'>> {
  readonly scopes: readonly TokenScope[]
}

const prefix = 'tst_'
export const isSessionToken = (key: string) => key.startsWith(prefix)

export function sessionToken(secret: string, target: GrantTarget, grant: SessionGrant): string {
  const { scopes, ...rest } = grant
  const word = tokenScopeNames.filter((name) => scopes.includes(name)).join('-')
  return prefix + sealGrant({ secret, purpose: 'session', target }, { word, ...rest })
}

/** What it grants on that session; nothing when it is not one of ours, or too old. */
export function readSessionToken(
  token: string,
  secret: string,
  target: GrantTarget,
  nowMs: number,
): SessionGrant | undefined {
  if (!isSessionToken(token)) return undefined
  const seal = { secret, purpose: 'session', target } as const
  const { word = '', keyId, expiresAtMs } = openGrant(token.slice(prefix.length), seal, nowMs) ?? {}
  if (keyId === undefined || expiresAtMs === undefined) return undefined
  const words = word.split('-')
  return { scopes: tokenScopeNames.filter((name) => words.includes(name)), keyId, expiresAtMs }
}
