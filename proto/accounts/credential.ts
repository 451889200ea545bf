/** Accounts with model providers as they are stored. Secrets are sealed (`runtime/accounts/seal/`). */

/** Providers with an API. Command-line agents are named `acp:<agent>`. */
export const apiProviders = [
  'openai',
  'anthropic',
  'gemini',
  'groq',
  'azure',
  'xai',
  'openrouter',
  'ollama',
  'compatible',
] as const
export type ApiProvider = (typeof apiProviders)[number]

export const isApiProvider = (text: string): text is ApiProvider =>
  apiProviders.some((known) => known === text)

/**
 * True if the provider's answers contain the cost in US dollars; otherwise the account needs a
 * price.
 */
export const reportsCost = (provider: string): boolean => provider === 'openrouter'

const agentPrefix = 'acp:'
export const isAgentProvider = (provider: string): boolean => provider.startsWith(agentPrefix)
export const providerOfAgent = (name: string): string => `${agentPrefix}${name}`
export const agentName = (provider: string): string => provider.slice(agentPrefix.length)

/** US dollars per million tokens, for cost limits if the provider does not report costs. */
export interface ModelPrice {
  readonly inputPerMillionUsd: number
  readonly outputPerMillionUsd: number
}

/** Settings of an account besides its secret. */
export interface AccountOptions {
  /** Replaces the provider's own address. */
  readonly baseUrl?: string
  /** Used if a task names no model. */
  readonly model?: string
  readonly price?: ModelPrice
}

/** The owner: a tenant, or `everybody` for accounts that the operator provides to all tenants. */
export const everyTenant = Symbol('everybody')
export type CredentialOwner = string | typeof everyTenant

/** A tenant may not name addresses in private networks; the operator may, also for a tenant. */
export type SetBy = 'tenant' | 'operator'

interface Credential extends AccountOptions {
  readonly provider: ApiProvider
  readonly by: SetBy
  /** The secret's last characters, so that a person can tell it from another. */
  readonly hint: string
  readonly setAtMs: number
}

export interface KeyCredential extends Credential {
  readonly kind: 'api_key'
  /** Absent if the provider needs no key. */
  readonly sealedKey?: string
}

export interface OAuthCredential extends Credential {
  readonly kind: 'oauth'
  /** {@link OAuthTokens} in JSON, sealed. */
  readonly sealedTokens: string
  /** Id of the login that created it. */
  readonly login: string
  /**
   * Number of renewals since that login; login and round together identify one state of the
   * account.
   */
  readonly round: number
  readonly expiresAtMs: number
  readonly renewAtMs: number
  /** The process that is renewing the account; no other one may renew it before `untilMs`. */
  readonly renewing?: { readonly by: string; readonly untilMs: number }
  /** Why renewal cannot succeed any more and a new login is needed. */
  readonly broken?: string
  /** Why the last renewal failed, if a retry may succeed. */
  readonly renewalError?: { readonly text: string; readonly atMs: number }
}

export type CredentialRecord = KeyCredential | OAuthCredential

export interface OAuthTokens {
  readonly access: string
  readonly refresh?: string
}

/** `=` stands for everybody: it is not a valid token, so no tenant can have this name. */
export function credentialKey(owner: CredentialOwner, provider: ApiProvider): string {
  return `${owner === everyTenant ? '=' : owner}.${provider}`
}

/** The inverse of `credentialKey`; undefined if the text is not such a key. */
export function credentialOf(
  key: string,
): { readonly owner: CredentialOwner; readonly provider: ApiProvider } | undefined {
  const [owner = '', provider = ''] = key.split('.')
  if (owner === '' || !isApiProvider(provider)) return undefined
  return { owner: owner === '=' ? everyTenant : owner, provider }
}

export const loginFlows = ['code', 'device'] as const
/**
 * `code`: the browser is redirected back to the service; `device`: a code is typed in on any
 * machine.
 */
export type LoginFlow = (typeof loginFlows)[number]

export type LoginState = 'pending' | 'working' | 'done' | 'failed'
export const isLoginOver = (state: LoginState): boolean => state === 'done' || state === 'failed'

/** A login in progress or finished: KV `logins`, by its id. */
export interface LoginRecord {
  readonly id: string
  /** Absent: the account is for everybody. */
  readonly tenant?: string
  readonly by: SetBy
  readonly provider: ApiProvider
  readonly flow: LoginFlow
  readonly state: LoginState
  readonly options: AccountOptions
  /** Sealed JSON with the secrets of the login. */
  readonly sealed: string
  readonly redirectUri?: string
  readonly device?: DevicePrompt
  /** The earliest time to ask again whether the device was authorised. */
  readonly askAtMs?: number
  readonly askEveryMs?: number
  readonly expiresAtMs: number
  /** Why it failed, for a person. */
  readonly error?: string
}

export interface DevicePrompt {
  readonly userCode: string
  readonly verificationUri: string
  /** The same URI with the code in it. */
  readonly verificationUriComplete?: string
}
