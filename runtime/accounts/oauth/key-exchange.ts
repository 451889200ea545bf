/**
 * OpenRouter's own login: exchanges a code, with PKCE, for a permanent API key. It has no state
 * parameter; our redirect address contains the state.
 * (https://openrouter.ai/docs/use-cases/oauth-pkce)
 */
import { calculatePKCECodeChallenge } from 'oauth4webapi'
import { limits } from '../../../proto/limits.ts'
import type { CodeRequest } from './authorization-server.ts'
import { oauthFailureOf, OAuthFailure } from './failure.ts'
import type { OAuthProvider } from './providers.ts'
import { accountLimits } from '../limits.ts'

export class KeyExchange {
  readonly #name: string
  readonly #provider: OAuthProvider

  constructor(name: string, provider: OAuthProvider) {
    this.#name = name
    this.#provider = provider
  }

  async authorizeUrl({ redirectUri, verifier }: Omit<CodeRequest, 'state'>): Promise<string> {
    const url = new URL(this.#provider.authorizationEndpoint ?? '')
    const parameters = {
      ...this.#provider.parameters,
      callback_url: redirectUri,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return url.href
  }

  /** Exchanges the code for an API key. */
  async redeem(answer: URLSearchParams, verifier: string): Promise<string> {
    const error = answer.get('error')
    if (error !== null) {
      throw oauthFailureOf(this.#name, error, answer.get('error_description') ?? '')
    }
    const code = answer.get('code')
    if (!code) throw new OAuthFailure('refused', `${this.#name} sent no code`)
    const response = await this.#exchange({
      code,
      code_verifier: verifier,
      code_challenge_method: 'S256',
    })
    const body = (await response.json().catch(() => undefined)) as { key?: unknown } | undefined
    const key = body?.key
    if (typeof key === 'string' && key !== '' && key.length <= limits.apiKeyChars) return key
    throw new OAuthFailure('refused', `${this.#name} returned no key for the code`)
  }

  async #exchange(body: object): Promise<Response> {
    let response: Response
    try {
      response = await fetch(this.#provider.tokenEndpoint!, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.timeout(accountLimits.oauthCallMs),
      })
    } catch {
      // Without the cause, which contains the request.
      throw new OAuthFailure('unavailable', `${this.#name} does not answer`)
    }
    if (response.ok) return response
    await response.body?.cancel()
    const { status } = response
    const kind = status >= 500 || status === 429 ? 'unavailable' : 'refused'
    throw new OAuthFailure(
      kind,
      `${this.#name} refused the code with ${status}: it was used, or is too old`,
    )
  }
}
