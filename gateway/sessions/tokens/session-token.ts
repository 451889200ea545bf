/**
 * A token that opens some parts of one session for a limited time. It is sent wherever a key is.
 */
import type { KeyScope } from '../../../proto/accounts/key-scopes.ts'
import { openGrant, sealGrant, type GrantTarget, type SealedGrant } from './sealed-grant.ts'

/** For each scope of a token, the scopes of a key of which one is needed to create it. */
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

/** Returns what a token grants on that session; undefined if it is invalid or expired. */
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
