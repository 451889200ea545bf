/**
 * Authenticates callers of scoped access by one `Authorization: Bearer`. The holder of a real token
 * is told why it does not work; of unknown credentials nothing is told.
 */
import type { GrantView, TokenView } from '../../../proto/access/grants/grant.ts'
import { parseSecretText } from '../../../proto/access/people/secret-text.ts'
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
import { counts } from '../people/last-ones.ts'
import { tokenInUrl } from './secret-in-url.ts'

export interface AuthenticateDeps {
  readonly chain: AccessChain
  readonly clock: Clock
  readonly rates: AccessRates
  /** False while this gateway's views may be out of date; then all requests are refused. */
  readonly isFresh: () => boolean
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
    if (request.query.has('access_token')) throw tokenInUrl()
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

  /** Who holds this secret text now, if anybody. */
  holderOf(text: string, origin: RequestOrigin): AccessCaller | undefined {
    try {
      return this.#callerOf(text, origin)
    } catch (error) {
      if (error instanceof ServiceError && error.type === 'invalid_token') return undefined
      throw error
    }
  }

  #token(hash: string, origin: RequestOrigin): TokenCaller | undefined {
    const found = this.#deps.chain.token(hash)
    if (!found) return undefined
    const { grant, token } = found
    const why = whyInvalid(found, this.#deps.clock.now())
    if (why) throw invalidToken(why)
    return { kind: 'token', keyId: token.id, clientId: grant.tenant, grant, token, ...origin }
  }

  #person(hash: string, origin: RequestOrigin): PersonCaller | undefined {
    const found = this.#deps.chain.session(hash)
    if (!found) return undefined
    const { person, session } = found
    const isOver = session.expiresAtMs <= this.#deps.clock.now()
    // A lock concerns new sign-ins only, or anyone could shut people out by wrong passwords.
    if (isOver || !counts(person)) return undefined
    return { kind: 'person', keyId: person.id, person, session, ...origin }
  }
}

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

interface WhyInvalid {
  readonly reason: 'revoked' | 'expired' | 'suspended' | 'not_started' | 'ended'
  readonly text: string
}

/** By our own clock, because a view may be late. Only who has the token learns it. */
function whyInvalid(
  { grant, token }: { readonly grant: GrantView; readonly token: TokenView },
  nowMs: number,
): WhyInvalid | undefined {
  const again = 'create another one with its grant'
  if (token.revokedAtMs !== undefined) {
    return { reason: 'revoked', text: `The token was revoked; ${again}.` }
  }
  if (grant.status === 'suspended') {
    const text = 'The grant of the token is suspended; the token works again once it is resumed.'
    return { reason: 'suspended', text }
  }
  const isOver = grant.status !== 'active' && grant.status !== 'scheduled'
  if (isOver || grant.endsAtMs <= nowMs) {
    const how = grant.status === 'revoked' ? 'was revoked' : 'has ended'
    return { reason: 'ended', text: `The grant of the token ${how}; request access again.` }
  }
  if (token.expiresAtMs <= nowMs) {
    return { reason: 'expired', text: `The token has expired; ${again}.` }
  }
  if (grant.status === 'active' && grant.startsAtMs <= nowMs) return undefined
  const from = new Date(grant.startsAtMs).toISOString()
  return { reason: 'not_started', text: `The grant of the token starts at ${from}.` }
}

const unknownText = 'The token is unknown: check that it is complete, or sign in again.'

/** The same error for unknown and malformed credentials, and for sign-ins that have ended. */
function invalidToken(why?: WhyInvalid): ServiceError {
  return new ServiceError('invalid_token', why?.text ?? unknownText, {
    challenge: `${realm}, error="invalid_token"`,
    ...(why && { reason: why.reason }),
  })
}

function outOfDateError(): ServiceError {
  const text =
    'This gateway has lost its connection to the store and refuses every request; try again ' +
    'shortly.'
  return new ServiceError('authorization_unavailable', text)
}
