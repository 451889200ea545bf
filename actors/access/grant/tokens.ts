/** The tokens of a grant: creation, rotation and removal. Pure. */
import type { MessageTo } from '../../../proto/actor.ts'
import type { ScopeName } from '../../../proto/access/areas/areas.ts'
import type { grantActor, GrantTerms, TokenView } from '../../../proto/access/grants/grant.ts'
import type { TokenId } from '../../../proto/access/ids.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { ServiceError } from '../../../proto/errors.ts'

export type MintMessage = MessageTo<typeof grantActor, 'mint'>
export type RotateMessage = MessageTo<typeof grantActor, 'rotate'>

/** The fields of a grant that its tokens depend on. */
export interface TokenHolder extends Pick<GrantTerms, 'permissions' | 'endsAtMs'> {
  readonly tokens: readonly TokenView[]
}

const isLive = ({ revokedAtMs, expiresAtMs }: TokenView, nowMs: number): boolean =>
  revokedAtMs === undefined && nowMs < expiresAtMs

/** Everything that the grant allows, as scope names. */
const grantScopesOf = ({ permissions }: Pick<GrantTerms, 'permissions'>): readonly ScopeName[] =>
  permissions.flatMap(({ area, actions }) =>
    actions.map((action): ScopeName => `${area}:${action}`),
  )

const latest = ({ endsAtMs }: TokenHolder, nowMs: number): number =>
  Math.min(endsAtMs, nowMs + limits.tokenMs)

export function checkMint(
  grant: TokenHolder,
  { scopes, expiresAtMs }: MintMessage,
  nowMs: number,
): void {
  const allowed: readonly string[] = grantScopesOf(grant)
  const beyond = scopes?.filter((scope) => !allowed.includes(scope)) ?? []
  if (beyond.length > 0) {
    const message = `This grant does not include ${beyond.join(', ')}; request only scopes that it includes.`
    throw new ServiceError('not_in_scope', message, { scopes: beyond })
  }
  if (scopes?.length === 0)
    throw invalidError('/scopes', 'Name at least one scope, or leave them out.')
  if (expiresAtMs !== undefined) checkExpiry(grant, expiresAtMs, nowMs)
  checkRoom(grant, nowMs)
}

function checkExpiry(grant: TokenHolder, expiresAtMs: number, nowMs: number): void {
  if (expiresAtMs <= nowMs) throw invalidError('/expires_at', 'A token must expire in the future.')
  const latestMs = latest(grant, nowMs)
  if (expiresAtMs <= latestMs) return
  const time = new Date(latestMs).toISOString()
  throw invalidError('/expires_at', `A token of this grant expires at ${time} at the latest.`)
}

export function checkRotation(grant: TokenHolder, { tokenId }: RotateMessage, nowMs: number): void {
  const token = tokenOf(grant, tokenId)
  if (!isLive(token, nowMs)) {
    const message = 'This token has ended; create a new one instead of rotating it.'
    throw new ServiceError('conflict', message)
  }
  checkRoom(grant, nowMs)
}

/** Throws `not_found`. */
export function tokenOf({ tokens }: Pick<TokenHolder, 'tokens'>, id: TokenId): TokenView {
  const token = tokens.find((one) => one.id === id)
  if (token) return token
  throw new ServiceError('not_found', 'This grant has no token with this id.')
}

function checkRoom({ tokens }: TokenHolder, nowMs: number): void {
  const limit = limits.tokensPerGrant
  if (tokens.filter((token) => isLive(token, nowMs)).length < limit) return
  const message = `This grant has ${limit} tokens; revoke one that is no longer used.`
  throw new ServiceError('quota_exceeded', message, { limit })
}

export function withMintedToken(grant: TokenHolder, mint: MintMessage & { readonly at: number }) {
  const { tokenId, name, hint, hash, by, at } = mint
  const expiresAtMs = Math.min(mint.expiresAtMs ?? Infinity, latest(grant, at))
  const scopes = mint.scopes ?? grantScopesOf(grant)
  const token = { id: tokenId, name, hint, hash, scopes, createdAtMs: at, createdBy: by.id }
  return withToken(grant.tokens, { ...token, expiresAtMs })
}

/** The new token has the same scopes and lifetime; the old one ends after the overlap. */
export function withRotatedToken(
  grant: TokenHolder,
  rotate: RotateMessage & { readonly at: number },
) {
  const { tokenId, newTokenId, hint, hash, overlapMs, by, at } = rotate
  const old = tokenOf(grant, tokenId)
  const lifeMs = old.expiresAtMs - old.createdAtMs
  const overlapsMs = Math.min(overlapMs, limits.rotationOverlapMs)
  const expiring = { ...old, expiresAtMs: Math.min(old.expiresAtMs, at + overlapsMs) }
  const tokens = grant.tokens.map((token) => (token === old ? expiring : token))
  return withToken(tokens, {
    id: newTokenId,
    name: old.name,
    scopes: old.scopes,
    hint,
    hash,
    createdAtMs: at,
    createdBy: by.id,
    expiresAtMs: Math.min(at + lifeMs, latest(grant, at)),
  })
}

/** Keeps as many tokens as may be live; the oldest ended one is removed first. */
function withToken(tokens: readonly TokenView[], token: TokenView): readonly TokenView[] {
  if (tokens.length < limits.tokensPerGrant) return [...tokens, token]
  const over = tokens.find((one) => !isLive(one, token.createdAtMs))
  return [...tokens.filter((one) => one !== over), token]
}

export const withRevokedToken = (
  { tokens }: TokenHolder,
  {
    tokenId,
    reason,
    at,
  }: { readonly tokenId: TokenId; readonly reason: string; readonly at: number },
): readonly TokenView[] =>
  tokens.map((token) =>
    token.id === tokenId ? { ...token, revokedAtMs: at, revokedReason: reason } : token,
  )

/** False for a use soon after the last recorded one, which is not recorded again. */
export function isNewUse(
  { tokens, lastUsedAtMs }: Pick<TokenHolder, 'tokens'> & { readonly lastUsedAtMs: number | null },
  { tokenId, atMs }: { readonly tokenId?: TokenId; readonly atMs: number },
): boolean {
  const token = tokens.find(({ id }) => id === tokenId)
  if (tokenId !== undefined && !token) return false
  const lastMs = token ? token.lastUsedAtMs : (lastUsedAtMs ?? undefined)
  return lastMs === undefined || atMs >= lastMs + limits.tokenUseToldMs
}

function invalidError(pointer: string, message: string): ServiceError {
  return new ServiceError('validation_failed', message, { pointers: [pointer] })
}
