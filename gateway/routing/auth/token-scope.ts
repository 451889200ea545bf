/** The scopes of session tokens, and how tokens are distinguished from keys. */
import type { KeyScope } from '../../../proto/accounts/key-scopes.ts'

/** For each scope of a token: a key needs one of these scopes to create it. */
export const tokenScopes = {
  cdp: ['drive'],
  control: ['drive'],
  view: ['view', 'drive'],
  files: ['files'],
} as const satisfies Readonly<Record<string, readonly KeyScope[]>>
export type TokenScope = keyof typeof tokenScopes

export const tokenScopeNames = Object.keys(tokenScopes) as readonly TokenScope[]

export const tokenPrefix = 'tst_'
export const isSessionToken = (key: string) => key.startsWith(tokenPrefix)

/** The rights of a valid token, the tenant of its session, and the token's generation. */
export interface OpenToken {
  readonly scopes: readonly TokenScope[]
  /** The token ends with this key at the latest. */
  readonly keyId: string
  /** Wall-clock ms. */
  readonly expiresAtMs: number
  readonly tenant: string
  readonly generation: number
  readonly secretId: string
}

export interface TokenReader {
  /** Undefined once the token's time, key, generation or session has ended. */
  read(sessionId: string, token: string): OpenToken | undefined
}
