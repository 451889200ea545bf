/**
 * A client of one provider's authorization server (OAuth 2.1): authorization code with PKCE, device
 * code, refresh. The answering server must be the issuer that was asked.
 */
import { defined } from '../../../proto/defined.ts'
import * as oauth from 'oauth4webapi'
import type { DevicePrompt } from '../../../proto/accounts/credential.ts'
import { isLoopback } from '../../lib/network/hosts.ts'
import { systemClock } from '../../lib/clock.ts'
import type { TokenGrant } from '../credentials/records.ts'
import { oauthFailureOf, OAuthFailure, readableWords } from './failure.ts'
import type { OAuthProvider } from './providers.ts'
import { accountLimits } from '../limits.ts'

export interface CodeRequest {
  readonly redirectUri: string
  readonly state: string
  /** The PKCE verifier, S256. */
  readonly verifier: string
}

export interface DeviceStart {
  readonly deviceCode: string
  readonly prompt: DevicePrompt
  readonly lifeMs: number
  readonly askEveryMs: number
}

/** Metadata by issuer; failed attempts are removed. */
const discovered = new Map<string, { readonly atMs: number; readonly found: Promise<Metadata> }>()
type Metadata = oauth.AuthorizationServer
type Endpoint = 'authorization_endpoint' | 'token_endpoint' | 'device_authorization_endpoint'

export class AuthorizationServer {
  readonly #name: string
  readonly #provider: OAuthProvider
  readonly #client: oauth.Client
  readonly #clientAuth: oauth.ClientAuth

  constructor(name: string, provider: OAuthProvider) {
    this.#name = name
    this.#provider = provider
    this.#client = { client_id: provider.clientId }
    this.#clientAuth = clientAuthOf(provider)
  }

  /** The URL where a person gives consent. */
  async authorizeUrl({ redirectUri, state, verifier }: CodeRequest): Promise<string> {
    const as = await this.#metadata('authorization_endpoint')
    const url = new URL(as.authorization_endpoint!)
    const parameters = {
      ...this.#provider.parameters,
      response_type: 'code',
      client_id: this.#provider.clientId,
      redirect_uri: redirectUri,
      ...this.#scope(),
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return url.href
  }

  /** Exchanges the parameters of the redirect for tokens. */
  async redeem(answer: URLSearchParams, request: CodeRequest): Promise<TokenGrant> {
    const as = await this.#metadata('token_endpoint')
    return this.#ask(async (options) => {
      const good = oauth.validateAuthResponse(as, this.#client, answer, request.state)
      const { redirectUri, verifier } = request
      const sent = [as, this.#client, this.#clientAuth, good, redirectUri, verifier] as const
      const response = await oauth.authorizationCodeGrantRequest(...sent, options)
      const tokens = await oauth.processAuthorizationCodeResponse(as, this.#client, response)
      return grantOf(tokens)
    })
  }

  async startDevice(): Promise<DeviceStart> {
    const as = await this.#metadata('device_authorization_endpoint')
    return this.#ask(async (options) => {
      const sent = [as, this.#client, this.#clientAuth, this.#scope()] as const
      const response = await oauth.deviceAuthorizationRequest(...sent, options)
      const start = await oauth.processDeviceAuthorizationResponse(as, this.#client, response)
      const complete = start.verification_uri_complete
      return {
        deviceCode: start.device_code,
        prompt: {
          userCode: start.user_code,
          verificationUri: start.verification_uri,
          ...defined({ verificationUriComplete: complete }),
        },
        lifeMs: start.expires_in * 1_000,
        askEveryMs:
          start.interval === undefined ? accountLimits.devicePollMs : start.interval * 1_000,
      }
    })
  }

  /** Asks whether the device was authorised. */
  async askDevice(deviceCode: string): Promise<TokenGrant | 'pending' | 'slow_down'> {
    const as = await this.#metadata('token_endpoint')
    return this.#ask(async (options) => {
      const sent = [as, this.#client, this.#clientAuth, deviceCode] as const
      const response = await oauth.deviceCodeGrantRequest(...sent, options)
      try {
        return grantOf(await oauth.processDeviceCodeResponse(as, this.#client, response))
      } catch (error) {
        const code = error instanceof oauth.ResponseBodyError ? error.error : undefined
        if (code === 'authorization_pending') return 'pending'
        if (code === 'slow_down') return 'slow_down'
        throw error
      }
    })
  }

  /** A server that does not rotate refresh tokens returns none; then the old one is kept. */
  async refresh(refreshToken: string): Promise<TokenGrant> {
    const as = await this.#metadata('token_endpoint')
    return this.#ask(async (options) => {
      const sent = [as, this.#client, this.#clientAuth, refreshToken] as const
      const response = await oauth.refreshTokenGrantRequest(...sent, options)
      const { tokens, lifeMs } = grantOf(
        await oauth.processRefreshTokenResponse(as, this.#client, response),
      )
      return { tokens: { refresh: refreshToken, ...tokens }, lifeMs }
    })
  }

  #scope(): { readonly scope?: string } {
    const { scopes } = this.#provider
    return scopes.length === 0 ? {} : { scope: scopes.join(' ') }
  }

  /** The configured metadata, completed by the issuer's if needed. */
  async #metadata(needed: Endpoint): Promise<Metadata> {
    const { issuer, tokenEndpoint } = this.#provider
    const configured = endpointsOf(this.#provider)
    const isKnown = configured[needed] !== undefined || issuer === undefined
    const named = isKnown
      ? { issuer: issuer ?? new URL(tokenEndpoint!).origin }
      : await this.#discover(issuer)
    const metadata = { ...named, ...configured }
    if (metadata[needed] !== undefined) return metadata
    const text = `OAUTH_PROVIDERS has no ${needed} for ${this.#name}, and its issuer names none`
    throw new OAuthFailure('misconfigured', text)
  }

  #discover(issuer: string): Promise<Metadata> {
    const known = discovered.get(issuer)
    const nowMs = systemClock.monotonic()
    if (known && nowMs - known.atMs < accountLimits.oauthMetadataMs) return known.found
    const found = this.#ask((options) => discover(new URL(issuer), options))
    discovered.set(issuer, { atMs: nowMs, found })
    found.catch(() => discovered.delete(issuer))
    return found
  }

  /** Gives every request a deadline and every failure a kind. */
  async #ask<T>(question: (options: AskOptions) => Promise<T>): Promise<T> {
    try {
      return await question({
        signal: AbortSignal.timeout(accountLimits.oauthCallMs),
        [oauth.allowInsecureRequests]: this.#isOnThisMachine(),
      })
    } catch (error) {
      throw this.#failure(error)
    }
  }

  #isOnThisMachine(): boolean {
    const { issuer, tokenEndpoint } = this.#provider
    return isLoopback(new URL(tokenEndpoint ?? issuer!).hostname)
  }

  #failure(error: unknown): OAuthFailure {
    const name = this.#name
    if (error instanceof OAuthFailure) return error
    if (
      error instanceof oauth.ResponseBodyError ||
      error instanceof oauth.AuthorizationResponseError
    ) {
      return oauthFailureOf(name, error.error, error.error_description)
    }
    if (error instanceof oauth.WWWAuthenticateChallengeError) {
      const text = `${name} does not know this client: check its id and secret in OAUTH_PROVIDERS`
      return new OAuthFailure('misconfigured', text)
    }
    if (error instanceof oauth.OperationProcessingError) return this.#unusable(error)
    // Only network errors are left: fetch throws a TypeError, a deadline its own type.
    return new OAuthFailure('unavailable', `${name} does not answer`)
  }

  #unusable(error: oauth.OperationProcessingError): OAuthFailure {
    const status = error.cause instanceof Response ? error.cause.status : undefined
    if (status !== undefined && (status >= 500 || status === 429)) {
      return new OAuthFailure('unavailable', `${this.#name} said ${status}`)
    }
    const wrong = wrongIssuer(error)
    if (wrong) return new OAuthFailure(wrong.kind, `${this.#name} ${wrong.text}`)
    const text = `the answer of ${this.#name} is not usable: ${error.message}`
    return new OAuthFailure('refused', text)
  }
}

/** For an answer of another issuer than the one that was asked: both, so that one can be corrected. */
function wrongIssuer({ code, cause, message }: oauth.OperationProcessingError) {
  const { expected, attribute, body, parameters } = (cause ?? {}) as {
    readonly expected?: unknown
    readonly attribute?: unknown
    readonly body?: { readonly issuer?: unknown }
    readonly parameters?: URLSearchParams
  }
  if (code === oauth.JSON_ATTRIBUTE_COMPARISON && attribute === 'issuer') {
    const text = `says that its issuer is ${readableWords(String(body?.issuer))}, and OAUTH_PROVIDERS says ${String(expected)}`
    return { kind: 'misconfigured', text } as const
  }
  const iss = parameters?.get('iss')
  if (!iss || !message.includes('"iss"')) return undefined
  const text = `was asked at the issuer ${String(expected)}, and ${readableWords(iss)} has answered`
  return { kind: 'refused', text } as const
}

interface AskOptions {
  readonly signal: AbortSignal
  readonly [oauth.allowInsecureRequests]: boolean
}

/** OAuth servers and OpenID servers have different well-known paths. */
async function discover(issuer: URL, options: AskOptions): Promise<Metadata> {
  const oidc = await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oidc' })
  if (oidc.ok) return oauth.processDiscoveryResponse(issuer, oidc)
  await oidc.body?.cancel()
  const response = await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oauth2' })
  return oauth.processDiscoveryResponse(issuer, response)
}

function endpointsOf(provider: OAuthProvider): Partial<Record<Endpoint, string>> {
  const { authorizationEndpoint, tokenEndpoint, deviceAuthorizationEndpoint } = provider
  return {
    ...defined({ authorization_endpoint: authorizationEndpoint, token_endpoint: tokenEndpoint }),
    ...(deviceAuthorizationEndpoint !== undefined && {
      device_authorization_endpoint: deviceAuthorizationEndpoint,
    }),
  }
}

function clientAuthOf({ clientAuth, clientSecret = '' }: OAuthProvider): oauth.ClientAuth {
  switch (clientAuth) {
    case 'basic':
      return oauth.ClientSecretBasic(clientSecret)
    case 'post':
      return oauth.ClientSecretPost(clientSecret)
    case 'none':
      return oauth.None()
    default:
      return clientAuth satisfies never
  }
}

function grantOf(response: oauth.TokenEndpointResponse): TokenGrant {
  const { access_token: access, refresh_token: refresh, expires_in: seconds } = response
  return {
    tokens: { access, ...defined({ refresh }) },
    lifeMs: seconds === undefined ? undefined : seconds * 1_000,
  }
}
