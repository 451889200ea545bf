/** Accounts with providers of models, as they are kept. Secrets are sealed (`runtime/seal/`). */

/** Models behind an API; `acp:<agent>` names the command-line agents beside them. */
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

/** Whose answers say what they cost, in US dollars; elsewhere the account needs a price. */
export const tellsCost = (provider: string): boolean => provider === 'openrouter'

const agentPrefix = 'acp:'
export const isAgent = (provider: string): boolean => provider.startsWith(agentPrefix)
export const providerOfAgent = (name: string): string => `${agentPrefix}${name}`
export const agentName = (provider: string): string => provider.slice(agentPrefix.length)

/** US dollars for a million tokens: for budgets of cost, where the provider does not tell. */
export interface ModelPrice {
  readonly inputPerMillionUsd: number
  readonly outputPerMillionUsd: number
}

/** What may be said of an account besides its secret. */
export interface AccountOptions {
  /** Where the provider's own address is not meant. */
  readonly baseUrl?: string
  /** Asked when a task names none. */
  readonly model?: string
  readonly price?: ModelPrice
}

/** Whose it is: a tenant's, or set by the operator for everybody. */
export const everybody = Symbol('everybody')
export type Owner = string | typeof everybody

/** A tenant may not name addresses that lead inside; the operator may, for a tenant too. */
export type SetBy = 'tenant' | 'operator'

interface Credential extends AccountOptions {
  readonly provider: ApiProvider
  readonly by: SetBy
  /** The secret's last characters, for a person to tell it from another. */
  readonly hint: string
  readonly setAtMs: number
}

export interface KeyCredential extends Credential {
  readonly kind: 'api_key'
  /** Absent where the provider asks for none. */
  readonly sealedKey?: string
}

export interface OAuthCredential extends Credential {
  readonly kind: 'oauth'
  /** {@link OAuthTokens} in JSON, sealed. */
  readonly sealedTokens: string
  /** Which login it came from. */
  readonly login: string
  /** How often it was renewed since: with the login, it names one state of the account. */
  readonly round: number
  readonly expiresAtMs: number
  readonly renewAtMs: number
  /** Somebody is renewing it, and must not be disturbed until then. */
  readonly renewing?: { readonly by: string; readonly untilMs: number }
  /** Why only another login helps. */
  readonly broken?: string
  /** Why its last renewal failed, where another try may help. */
  readonly renewalError?: { readonly text: string; readonly atMs: number }
}

export type CredentialRecord = KeyCredential | OAuthCredential

export interface OAuthTokens {
  readonly access: string
  readonly refresh?: string
}

/** No tenant is called `=`: it is no token. */
export function credentialKey(owner: Owner, provider: ApiProvider): string {
  return `${owner === everybody ? '=' : owner}.${provider}`
}

/** The other way round; undefined for what is no such key. */
export function credentialOf(
  key: string,
): { readonly owner: Owner; readonly provider: ApiProvider } | undefined {
  const [owner = '', provider = ''] = key.split('.')
  if (owner === '' || !isApiProvider(provider)) return undefined
  return { owner: owner === '=' ? everybody : owner, provider }
}

export const loginFlows = ['code', 'device'] as const
/** `code`: a page that leads back here; `device`: a code that is typed in on any other machine. */
export type LoginFlow = (typeof loginFlows)[number]

export type LoginState = 'pending' | 'working' | 'done' | 'failed'
export const isLoginOver = (state: LoginState): boolean => state === 'done' || state === 'failed'

/** A login that is under way, or was: KV `logins`, by its id. */
export interface LoginRecord {
  readonly id: string
  /** Absent: for everybody. */
  readonly tenant?: string
  readonly by: SetBy
  readonly provider: ApiProvider
  readonly flow: LoginFlow
  readonly state: LoginState
  readonly options: AccountOptions
  /** What only we may know of it in JSON, sealed. */
  readonly sealed: string
  readonly redirectUri?: string
  readonly device?: DevicePrompt
  /** Earliest time to ask again whether the device was let in. */
  readonly askAtMs?: number
  readonly askEveryMs?: number
  readonly expiresAtMs: number
  /** Of a failed one, for a person. */
  readonly error?: string
}

export interface DevicePrompt {
  readonly userCode: string
  readonly verificationUri: string
  /** The same with the code in it. */
  readonly verificationUriComplete?: string
}
