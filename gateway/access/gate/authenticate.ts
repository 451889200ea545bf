/**
 * Authenticates callers of scoped access by one `Authorization: Bearer`; credentials in the URL are
 * refused. Every invalid credential gets the same answer. A token in a URL is in some log, so it is
 * revoked.
 */
import { parseSecretText, type SecretKind } from '../../../proto/access/people/secret-text.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import type { HttpRequest } from '../../server/http.ts'
import type {
  AccessCaller,
  RequestOrigin,
  PersonCaller,
  TokenCaller,
} from '../../routing/auth/access-caller.ts'
import type { AccessChain } from './chain.ts'
import type { AccessRates } from './rates.ts'

export interface AuthenticateDeps {
  readonly chain: AccessChain
  readonly clock: Clock
  readonly rates: AccessRates
  /** False while this gateway's views may be out of date; then all requests are refused. */
  readonly isFresh: () => boolean
  readonly onTokenInUrl: (caller: TokenCaller) => void
  readonly onFailed: (origin: RequestOrigin) => void
}

const realm = 'Bearer realm="troupe"'

export class AccessAuthenticator {
  readonly #deps: AuthenticateDeps

  constructor(deps: AuthenticateDeps) {
    this.#deps = deps
  }

  /** Throws the error that refuses the request. */
  authenticate(request: HttpRequest, origin: RequestOrigin): AccessCaller {
    this.#refuseTokenInUrl(request, origin)
    const text = bearerOf(request)
    this.#deps.rates.address(origin.address)
    try {
      return this.#callerOf(text, origin)
    } catch (error) {
      if (error instanceof ServiceError && error.type === 'invalid_token') {
        this.#deps.rates.failed(origin.address)
        this.#deps.onFailed(origin)
      }
      throw error
    }
  }

  /**
   * Authenticates by the session text in the portal's cookie. Throws the error that refuses the
   * request.
   */
  bySession(text: string, origin: RequestOrigin): PersonCaller {
    this.#deps.rates.address(origin.address)
    const hash = parseSecretText('session', text)
    if (hash === undefined) throw invalidToken()
    if (!this.#deps.isFresh()) throw outOfDateError()
    const caller = this.#person(hash, origin)
    if (!caller) throw invalidToken()
    return caller
  }

  /** An authenticated person with their current view, for example after a change. */
  again({ session, requestId, address }: PersonCaller): PersonCaller {
    const caller = this.#person(session.hash, { requestId, address })
    if (!caller) throw invalidToken()
    return caller
  }

  #callerOf(text: string, origin: RequestOrigin): AccessCaller {
    const tokenHash = parseSecretText('token', text)
    const sessionHash = parseSecretText('session', text)
    if (tokenHash === undefined && sessionHash === undefined) throw invalidToken()
    if (!this.#deps.isFresh()) throw outOfDateError()
    const caller =
      tokenHash === undefined ? this.#person(sessionHash!, origin) : this.#token(tokenHash, origin)
    if (!caller) throw invalidToken()
    return caller
  }

  /** Checks the times by our own clock, because a view may be late. */
  #token(hash: string, origin: RequestOrigin): TokenCaller | undefined {
    const found = this.#deps.chain.token(hash)
    if (!found) return undefined
    const { grant, token } = found
    const now = this.#deps.clock.now()
    const isHeld = grant.status === 'active' && grant.startsAtMs <= now && now < grant.endsAtMs
    if (!isHeld || token.revokedAtMs !== undefined || token.expiresAtMs <= now) return undefined
    return { kind: 'token', keyId: token.id, clientId: grant.tenant, grant, token, ...origin }
  }

  #person(hash: string, origin: RequestOrigin): PersonCaller | undefined {
    const found = this.#deps.chain.session(hash)
    if (!found) return undefined
    const { person, session } = found
    const isOver = session.expiresAtMs <= this.#deps.clock.now()
    if (isOver || person.status !== 'active') return undefined
    return { kind: 'person', keyId: person.id, person, session, ...origin }
  }

  #refuseTokenInUrl({ query }: HttpRequest, origin: RequestOrigin): void {
    for (const [name, value] of query) {
      if (name !== 'access_token' && !isSecret(value)) continue
      const hash = parseSecretText('token', value)
      const caller = hash === undefined ? undefined : this.#token(hash, origin)
      if (caller) this.#deps.onTokenInUrl(caller)
      const text =
        'A token in a URL ends up in logs. If this was a valid access token, it has been revoked.'
      throw new ServiceError('token_in_url', `${text} Send tokens as Authorization: Bearer.`)
    }
  }
}

const kinds: readonly SecretKind[] = ['token', 'session', 'invitation']
const isSecret = (text: string) => kinds.some((kind) => parseSecretText(kind, text) !== undefined)

/** The bearer token; throws if there is none, or more than one credential. */
function bearerOf({ headers }: HttpRequest): string {
  const header = headers.get('authorization')
  const hasKey = headers.has('service-api-key') || headers.has('anchor-api-key')
  if (header === undefined) {
    const text =
      'Send Authorization: Bearer with an access token, or with the token that POST ' +
      '/v1/sign-in returns.'
    const more = hasKey ? ' The service-api-key is for browser sessions.' : ''
    throw new ServiceError('unauthorized', text + more, { challenge: realm })
  }
  if (hasKey) {
    const text =
      'Send only one credential: service-api-key is for browser sessions, Bearer for scoped access.'
    throw new ServiceError('bad_request', text)
  }
  // Two headers arrive as one value, joined with a comma.
  if (header.includes(',')) {
    throw new ServiceError('bad_request', 'Send one Authorization header with one token.')
  }
  const [, text] = /^bearer +(\S+)$/i.exec(header) ?? []
  if (text === undefined) throw invalidToken()
  return text
}

/** The same error for unknown, expired, revoked and malformed credentials. */
export function invalidToken(): ServiceError {
  return new ServiceError('invalid_token', 'The token is unknown, expired or revoked.', {
    challenge: `${realm}, error="invalid_token"`,
  })
}

function outOfDateError(): ServiceError {
  const text =
    'This gateway has lost its connection to the store and refuses every request; try again ' +
    'shortly.'
  return new ServiceError('authorization_unavailable', text)
}
