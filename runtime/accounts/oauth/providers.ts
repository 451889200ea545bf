/**
 * The login settings of providers: those of OAUTH_PROVIDERS, and built-in ones. Parsed by hand,
 * because every process reads the settings but few of them log in.
 */
import {
  apiProviders,
  isApiProvider,
  type ApiProvider,
} from '../../../proto/accounts/credential.ts'
import { isLoopback } from '../../lib/network/hosts.ts'

export type ClientAuth = 'basic' | 'post' | 'none'

export interface OAuthProvider {
  /** `key`: OpenRouter's own exchange of a code for a permanent API key. */
  readonly grant: 'oauth' | 'key'
  /** Its metadata names endpoints that are not configured here, and responses must come from it. */
  readonly issuer?: string
  readonly authorizationEndpoint?: string
  readonly tokenEndpoint?: string
  readonly deviceAuthorizationEndpoint?: string
  readonly clientId: string
  readonly clientSecret?: string
  /** How the client authenticates. */
  readonly clientAuth: ClientAuth
  readonly scopes: readonly string[]
  /** Additional parameters of the authorization request: `{"access_type": "offline"}`. */
  readonly parameters: Readonly<Record<string, string>>
  /** Base URL of the API that the tokens are for. */
  readonly baseUrl?: string
  /** Header that takes the bare token instead of `Authorization: Bearer`. */
  readonly tokenHeader?: string
}

export type OAuthProviders = Readonly<Partial<Record<ApiProvider, OAuthProvider>>>

/** The only provider that allows logins without a registered client. */
const openrouter: OAuthProvider = {
  grant: 'key',
  authorizationEndpoint: 'https://openrouter.ai/auth',
  tokenEndpoint: 'https://openrouter.ai/api/v1/auth/keys',
  clientId: '',
  clientAuth: 'none',
  scopes: [],
  parameters: {},
}

/** Throws an error that names the field and what it must be, but never a value. */
export function readProviders(value: unknown): OAuthProviders {
  const entries = Object.entries(recordOf(value, 'it')).map(([name, entry]) => {
    if (!isApiProvider(name)) throw new Error(`name one of ${apiProviders.join(', ')}`)
    return [name, readProvider(name, recordOf(entry, name))] as const
  })
  return { openrouter, ...Object.fromEntries(entries) }
}

type Json = Readonly<Record<string, unknown>>

const fields = new Set([
  ...['grant', 'issuer', 'authorization_endpoint', 'token_endpoint', 'client_id'],
  ...['device_authorization_endpoint', 'client_secret', 'client_auth', 'scopes'],
  ...['authorization_parameters', 'base_url', 'token_header'],
])

function readProvider(name: string, json: Json): OAuthProvider {
  for (const field of Object.keys(json)) {
    if (!fields.has(field)) throw new Error(`${name} has fields ${[...fields].join(', ')} only`)
  }
  const at = (field: string) => `${name}.${field}`
  const grant = oneOf(json['grant'] ?? 'oauth', ['oauth', 'key'], at('grant'))
  const clientSecret = optional(json['client_secret'], at('client_secret'), textOf)
  const usualAuth = clientSecret === undefined ? 'none' : 'basic'
  const provider = {
    grant,
    clientId: grant === 'key' ? '' : textOf(json['client_id'], at('client_id')),
    clientAuth: oneOf(
      json['client_auth'] ?? usualAuth,
      ['basic', 'post', 'none'],
      at('client_auth'),
    ),
    scopes: listOf(json['scopes'] ?? [], at('scopes')),
    parameters: textsOf(json['authorization_parameters'] ?? {}, at('authorization_parameters')),
    ...present('clientSecret', clientSecret),
    ...present('issuer', optional(json['issuer'], at('issuer'), endpointOf)),
    ...endpointsOf(json, at),
    ...present('baseUrl', optional(json['base_url'], at('base_url'), endpointOf)),
    ...present('tokenHeader', optional(json['token_header'], at('token_header'), headerOf)),
  }
  const findsToken = provider.tokenEndpoint !== undefined || provider.issuer !== undefined
  if (!findsToken) throw new Error(`${name} needs an issuer or a token_endpoint`)
  if (grant === 'key' && !(provider.authorizationEndpoint && provider.tokenEndpoint)) {
    throw new Error(`${name} needs an authorization_endpoint and a token_endpoint`)
  }
  if (provider.clientAuth !== 'none' && clientSecret === undefined) {
    throw new Error(`${at('client_auth')} needs a client_secret`)
  }
  return provider
}

function endpointsOf(json: Json, at: (field: string) => string) {
  const read = (field: string) => optional(json[field], at(field), endpointOf)
  return {
    ...present('authorizationEndpoint', read('authorization_endpoint')),
    ...present('tokenEndpoint', read('token_endpoint')),
    ...present('deviceAuthorizationEndpoint', read('device_authorization_endpoint')),
  }
}

function present<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V }
}

function optional<T>(value: unknown, at: string, read: (value: unknown, at: string) => T) {
  return value === undefined ? undefined : read(value, at)
}

function recordOf(value: unknown, at: string): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  throw new Error(`${at} must be an object`)
}

function textOf(value: unknown, at: string): string {
  if (typeof value === 'string' && value.trim() !== '') return value
  throw new Error(`${at} must be a text`)
}

function textsOf(value: unknown, at: string): Readonly<Record<string, string>> {
  const entries = Object.entries(recordOf(value, at))
  return Object.fromEntries(entries.map(([name, text]) => [name, textOf(text, `${at}.${name}`)]))
}

function listOf(value: unknown, at: string): readonly string[] {
  if (!Array.isArray(value)) throw new Error(`${at} must be a list of texts`)
  return value.map((item) => textOf(item, at))
}

function oneOf<const T extends string>(value: unknown, words: readonly T[], at: string): T {
  const found = words.find((word) => word === value)
  if (found === undefined) throw new Error(`${at} must be ${words.join(' or ')}`)
  return found
}

/** Codes and tokens are sent there, so http is allowed only on this machine. */
function endpointOf(value: unknown, at: string): string {
  const text = textOf(value, at)
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isSafe =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  if (url && isSafe && url.username === '' && url.password === '') return text
  throw new Error(`${at} must be an https URL`)
}

function headerOf(value: unknown, at: string): string {
  const text = textOf(value, at).toLowerCase()
  if (/^[a-z0-9-]{1,64}$/.test(text)) return text
  throw new Error(`${at} must be the name of a header`)
}
