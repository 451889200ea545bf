/** The login settings of providers: those of OAUTH_PROVIDERS, and built-in ones. */
import { z } from 'zod'
import { apiProviders } from '../../../proto/accounts/credential.ts'
import { isLoopback } from '../../lib/network/hosts.ts'
import { knownFields, knownKeys } from '../../lib/schemas/json-text.ts'

const text = z.string().regex(/\S/, 'must not be empty')
/** Codes and tokens are sent there, so http is allowed only on this machine. */
const endpoint = text.refine(isSafeEndpoint, 'must be an https URL')
const headerName = z
  .string()
  .toLowerCase()
  .regex(/^[a-z0-9-]{1,64}$/, 'must be the name of a header')

const providerFields = knownFields({
  /** `key`: OpenRouter's own exchange of a code for a permanent API key. */
  grant: z.enum(['oauth', 'key']).default('oauth'),
  /** Its metadata names endpoints that are not configured here, and responses must come from it. */
  issuer: endpoint.optional(),
  authorization_endpoint: endpoint.optional(),
  token_endpoint: endpoint.optional(),
  device_authorization_endpoint: endpoint.optional(),
  client_id: text.optional(),
  client_secret: text.optional(),
  /** How the client authenticates. */
  client_auth: z.enum(['basic', 'post', 'none']).optional(),
  scopes: z.array(text).readonly().default([]),
  /** Additional parameters of the authorization request: `{"access_type": "offline"}`. */
  authorization_parameters: z.record(z.string(), text, 'must be an object').default({}),
  /** Base URL of the API that the tokens are for. */
  base_url: endpoint.optional(),
  /** Header that takes the bare token instead of `Authorization: Bearer`. */
  token_header: headerName.optional(),
})
type ProviderFields = Readonly<z.output<typeof providerFields>>
const oauthProvider = providerFields.superRefine(checkFields).transform(toProvider)

export type OAuthProvider = ReturnType<typeof toProvider>
export type OAuthProviders = Readonly<z.output<typeof oauthProviders>>

/** OpenRouter is the only provider that allows logins without a registered client. */
export const builtInProviders = {
  openrouter: toProvider({
    grant: 'key',
    authorization_endpoint: 'https://openrouter.ai/auth',
    token_endpoint: 'https://openrouter.ai/api/v1/auth/keys',
    scopes: [],
    authorization_parameters: {},
  }),
}

/** OAUTH_PROVIDERS. */
export const oauthProviders = knownKeys(apiProviders, oauthProvider).transform((own) => ({
  ...builtInProviders,
  ...own,
}))

function checkFields(fields: ProviderFields, context: z.RefinementCtx): void {
  const refuse = (message: string, ...path: readonly string[]) =>
    context.addIssue({ code: 'custom', message, path: [...path] })
  const { grant, issuer, token_endpoint: tokenEndpoint, client_auth: clientAuth } = fields
  if (grant === 'key' && !(fields.authorization_endpoint && tokenEndpoint)) {
    refuse('needs an authorization_endpoint and a token_endpoint')
  }
  if (grant === 'oauth' && fields.client_id === undefined) refuse('is required', 'client_id')
  if ((issuer ?? tokenEndpoint) === undefined) refuse('needs an issuer or a token_endpoint')
  if ((clientAuth ?? 'none') !== 'none' && fields.client_secret === undefined) {
    refuse('needs a client_secret', 'client_auth')
  }
}

function toProvider({ grant, issuer, scopes, ...fields }: ProviderFields) {
  const { client_id: clientId = '', client_secret: clientSecret } = fields
  return {
    ...{ grant, issuer, scopes, clientSecret },
    clientId: grant === 'key' ? '' : clientId,
    clientAuth: fields.client_auth ?? (clientSecret === undefined ? 'none' : 'basic'),
    authorizationEndpoint: fields.authorization_endpoint,
    tokenEndpoint: fields.token_endpoint,
    deviceAuthorizationEndpoint: fields.device_authorization_endpoint,
    parameters: fields.authorization_parameters,
    baseUrl: fields.base_url,
    tokenHeader: fields.token_header,
  } as const
}

function isSafeEndpoint(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const isSafe =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  return isSafe && url.username === '' && url.password === ''
}
