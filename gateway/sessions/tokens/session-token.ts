/**
 * A token for some parts of one session, valid for a limited time. Clients send it instead of a
 * key.
 */
import {
  isSessionToken,
  tokenPrefix,
  tokenScopeNames,
  type TokenScope,
} from '../../routing/auth/token-scope.ts'
import { openGrant, sealGrant, type GrantTarget, type SealedGrant } from './sealed-grant.ts'

export interface SessionGrant extends Required<Pick<SealedGrant, 'keyId' | 'expiresAtMs'>> {
  readonly scopes: readonly TokenScope[]
}

export function sessionToken(secret: string, target: GrantTarget, grant: SessionGrant): string {
  const { scopes, ...rest } = grant
  const word = tokenScopeNames.filter((name) => scopes.includes(name)).join('-')
  return tokenPrefix + sealGrant({ secret, purpose: 'session', target }, { word, ...rest })
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
  const {
    word = '',
    keyId,
    expiresAtMs,
  } = openGrant(token.slice(tokenPrefix.length), seal, nowMs) ?? {}
  if (keyId === undefined || expiresAtMs === undefined) return undefined
  const words = word.split('-')
  return { scopes: tokenScopeNames.filter((name) => words.includes(name)), keyId, expiresAtMs }
}
