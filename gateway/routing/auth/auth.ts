/**
 * Authenticates callers: by keys in headers, and by session-scoped keys in the query of sockets.
 * Only key ids are ever logged.
 */
import { defined } from '../../../proto/defined.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { devKey } from '../../../proto/accounts/dev-key.ts'
import {
  devKeyId,
  devScopes,
  devTenant,
  equalInConstantTime,
  isKeyOver,
  isSessionKey,
  keyMatches,
  noKeyId,
  parseKey,
  keyScopesOf,
  sessionKeyOwner,
} from '../../../proto/accounts/key.ts'
import type { KeyScope } from '../../../proto/accounts/key-scopes.ts'
import { isTaskToken, readTaskToken, type TaskGrant } from '../../../proto/task/task-token.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import type { KeyUses } from '../../../runtime/accounts/keys/key-uses.ts'
import type { ServiceSecret } from '../../../runtime/accounts/keys/service-secret.ts'
import type { DevKeyRule } from './dev-key.ts'
import { requireScope, type WantedScope } from './key-scope.ts'
import type { KeySource, KeyValidity, SocketPass } from './key-validity.ts'
import type { HttpRequest } from '../../server/http.ts'
import type { WrongKeys } from './wrong-keys.ts'
import { isSessionToken, type OpenToken, type TokenReader, type TokenScope } from './token-scope.ts'

export interface Principal {
  readonly keyId: string
  readonly keyName: string
  readonly tenant: string
  /** The key came in the header that the official SDK uses. */
  readonly isSdk?: boolean
  /** The maximum number of concurrent sessions of this key. */
  readonly sessionsMax?: number
  readonly scopes: readonly KeyScope[]
  /** Its sessions may reach private networks if they ask for it. */
  readonly allowPrivate?: boolean
}

/**
 * A caller with the text of its key, for handlers that call other routes on the caller's behalf.
 */
export interface KeyHolder extends Principal {
  /** The key's text, which is secret. */
  readonly key: string
}

/** An agent that works on a task: its token opens that task's tools and nothing else. */
export interface TaskAgent {
  readonly keyId: 'task'
  readonly grant: TaskGrant
}

/**
 * What a socket may do: reach one session. The tenant is known only if the tenant's own key was
 * given.
 */
export interface SocketGrant extends SocketPass {
  readonly sessionId: string
  readonly tenant?: string
}

/**
 * A client that opens a session's socket, or one whose query names no session: it gets a session of
 * its own.
 */
export type OpenerGrant = SocketGrant | Principal

/** Whose task steps a client may follow: one session's, or all of a tenant's. */
export type WatchGrant = SocketGrant | Principal

/** The requirements of the route and path of a request. */
export interface RequiredAccess {
  readonly scope: WantedScope | undefined
  readonly sessionId: string | undefined
}

export interface AuthOptions {
  readonly keys: Pick<KeySource, 'get'>
  readonly keyValidity: KeyValidity
  readonly sessionTokens: TokenReader
  readonly serviceSecret: ServiceSecret
  readonly clock: Clock
  readonly devKeyRule: DevKeyRule
  readonly wrongKeys: WrongKeys
  readonly keyUses: Pick<KeyUses, 'note'>
  /** The key that the reader of a page of ours is signed in with, if that page sends the request. */
  readonly pageRequests?: { keyOf(request: HttpRequest): string | undefined }
}

const sdkHeader = 'anchor-api-key'
const keyHeaders = ['service-api-key', sdkHeader] as const
const inHeaders = 'send it in the header service-api-key, or as Authorization: Bearer KEY'
/** For `/ws`. */
export const whenWatching = 'send it as apiKey in the query, or in the header service-api-key'
const createOne = 'create one with: npm run troupe -- keys create'

export class Authenticator {
  readonly #options: AuthOptions

  constructor(options: AuthOptions) {
    this.#options = options
  }

  /**
   * The caller of a REST route. Routes for a session's files also accept a token of that session.
   */
  byHeader(request: HttpRequest, asked: RequiredAccess): Principal {
    const key = headerKey(request)
    if (key !== undefined && isSessionToken(key)) return this.#fileHandler(key, request, asked)
    if (key === undefined) return this.#reader(request)
    const principal = this.#principal(key, request)
    return request.headers.has(sdkHeader) ? { ...principal, isSdk: true } : principal
  }

  /** The caller of a route that an agent's task token opens as well. */
  byBearer(request: HttpRequest): KeyHolder | TaskAgent {
    const key = headerKey(request)
    if (key === undefined) throw this.keyMissing(request, inHeaders)
    if (isTaskToken(key)) return this.#taskAgent(key)
    return { ...this.#principal(key, request), key }
  }

  /**
   * The caller of a socket or of `/json/*`. The key may also be in a header, for clients that can
   * set one. Throws `forbidden` if the key lacks the wanted scope.
   */
  bySocket(request: HttpRequest, wanted: KeyScope = 'drive'): SocketGrant {
    const sessionId = request.query.get('sessionId') ?? ''
    const key = socketKey(request)
    if (key === undefined || key === '') {
      const ways = 'connect to the cdp_url of a session, or to /?apiKey=KEY for a new one'
      throw this.keyMissing(request, ways)
    }
    if (sessionId === '') {
      throw new ServiceError(
        'bad_request',
        'The query must name the session: connect to its cdp_url.',
        {
          field: 'sessionId',
        },
      )
    }
    if (isSessionToken(key)) {
      const { scopes, ...pass } = this.#opened(key, sessionId, request)
      if (wanted !== 'drive' || !scopes.includes('cdp')) throw tokenTooNarrowError(scopes)
      return { sessionId, ...pass }
    }
    const owner = sessionKeyOwner(key, this.#options.serviceSecret.text, sessionId)
    if (owner !== undefined) {
      if (this.#options.keyValidity.isOver(owner)) throw revokedError()
      requireScope(this.#options.keyValidity.scopesOf(owner), wanted)
      this.#options.keyUses.note(owner)
      return { sessionId, keyId: owner, secretId: this.#options.serviceSecret.id }
    }
    const { keyId, tenant, scopes } = this.#principal(key, request)
    requireScope(scopes, wanted)
    return { sessionId, keyId, tenant }
  }

  /**
   * The caller of a socket or of `/json/version`, whose query need not name a session: then a
   * session is created for the holder of the key. Throws `forbidden` if the key may not create
   * sessions or drive them.
   */
  byOpener(request: HttpRequest): OpenerGrant {
    const key = socketKey(request) ?? ''
    const isOfSession = isSessionKey(key) || isSessionToken(key)
    if (request.query.has('sessionId') || isOfSession || key === '') return this.bySocket(request)
    const principal = this.#principal(key, request)
    for (const scope of ['sessions', 'drive'] as const) requireScope(principal.scopes, scope)
    return principal
  }

  /**
   * The caller of `/ws`. Without a key, a later check of the named session decides whether the
   * caller may follow it.
   */
  byWatcher(request: HttpRequest): WatchGrant {
    const sessionId = request.query.get('sessionId')
    const key = socketKey(request)
    if (key === undefined && sessionId !== null) return { sessionId, keyId: noKeyId }
    if (key === undefined) throw this.keyMissing(request, whenWatching)
    if (sessionId !== null) return this.bySocket(request, 'tasks')
    const principal = this.#principal(key, request)
    requireScope(principal.scopes, 'tasks')
    return principal
  }

  /** The owner of a key that a person has typed into a page of ours. Throws as `byHeader` does. */
  byTypedKey(key: string, request: HttpRequest): Principal {
    return this.#principal(key, request)
  }

  /**
   * The owner of a key that a page of ours keeps in its cookie; undefined once the key is no longer
   * valid. It was valid before, so this does not count as a wrong key.
   */
  byKeptKey(key: string, request: HttpRequest): Principal | undefined {
    const { devKeyRule } = this.#options
    if (!devKeyRule.isDevKey(key)) return this.#known(key)
    return devKeyRule.whyNot(request) === undefined ? developer : undefined
  }

  /** The refusal of a caller without a key; `ways` says how to send one. */
  keyMissing(request: HttpRequest, ways: string): ServiceError {
    const { devKeyRule } = this.#options
    return refusedError(`A key is needed: ${ways}; ${devKeyRule.hintFor(request) ?? createOne}.`)
  }

  /** The reader of a page of ours that sends requests with the key of the sign-in. */
  #reader(request: HttpRequest): Principal {
    const key = this.#options.pageRequests?.keyOf(request)
    if (key === undefined) throw this.keyMissing(request, inHeaders)
    const principal = this.byKeptKey(key, request)
    if (principal) return principal
    throw refusedError('The key that you signed in with has expired or was revoked; sign in again.')
  }

  #principal(text: string, request: HttpRequest): Principal {
    if (this.#options.devKeyRule.isDevKey(text)) return this.#developer(text, request)
    const known = this.#known(text)
    if (known) return known
    // The error is the same for every kind of wrong key.
    this.#options.wrongKeys.count(request)
    throw refusedError(`This key is unknown or was revoked; ${createOne}.`)
  }

  #known(text: string): Principal | undefined {
    const parsed = parseKey(text)
    const record = parsed && this.#options.keys.get(parsed.id)
    const { clock } = this.#options
    if (
      !parsed ||
      !record ||
      !keyMatches(record, parsed.secret) ||
      isKeyOver(record, clock.now())
    ) {
      return undefined
    }
    const { id, name, tenant } = record
    this.#options.keyUses.note(id)
    const sessionsMax = record.limits.sessions
    return {
      ...{ keyId: id, keyName: name, tenant, scopes: keyScopesOf(record) },
      ...defined({ sessionsMax }),
      ...(record.allowPrivate && { allowPrivate: true }),
    }
  }

  #fileHandler(
    token: string,
    request: HttpRequest,
    { sessionId = '', scope }: RequiredAccess,
  ): Principal {
    const { scopes, keyId, tenant } = this.#opened(token, sessionId, request)
    if (scope !== 'files' || !scopes.includes('files')) throw tokenTooNarrowError(scopes)
    return { keyId, keyName: 'token', tenant, scopes: ['files'] }
  }

  #opened(token: string, sessionId: string, request: HttpRequest): OpenToken {
    const open = this.#options.sessionTokens.read(sessionId, token)
    if (open) {
      this.#options.keyUses.note(open.keyId)
      return open
    }
    this.#options.wrongKeys.count(request)
    throw refusedError(
      'This token is not valid for this session, or has expired; request a new one.',
    )
  }

  #taskAgent(token: string): TaskAgent {
    const { serviceSecret, clock } = this.#options
    const grant = readTaskToken(token, serviceSecret.text, clock.now())
    if (!grant) throw refusedError('This token is unknown, or its task has ended.')
    return { keyId: 'task', grant }
  }

  #developer(key: string, request: HttpRequest): Principal {
    const why = this.#options.devKeyRule.refusalOf(key, request)
    if (why !== undefined) {
      const text = `The development key is only for clients on this machine, and ${why}`
      throw refusedError(`${text}; ${createOne}.`)
    }
    return developer
  }
}

/** A caller with a development key is on this machine, like its operator. */
const developer: Principal = {
  ...{ keyId: devKeyId, keyName: 'development', tenant: devTenant, scopes: devScopes },
  allowPrivate: true,
}

/** True for a socket with any key except the well-known one; the key may still be wrong. */
export function hasSecretKey(request: HttpRequest): boolean {
  const key = socketKey(request) ?? ''
  return key !== '' && !equalInConstantTime(key, devKey)
}

function socketKey(request: HttpRequest): string | undefined {
  return request.query.get('apiKey') ?? headerKey(request)
}

/**
 * The key from either header, or else the bearer token. If both headers are set they must agree,
 * since only one of them can be meant. Beside them, Authorization may be meant for a proxy.
 */
function headerKey(request: HttpRequest): string | undefined {
  const [first, second] = keyHeaders.map((name) => request.headers.get(name))
  if (first !== undefined && second !== undefined && !equalInConstantTime(first, second)) {
    throw refusedError(`The headers ${keyHeaders.join(' and ')} have different keys; send one.`)
  }
  return first ?? second ?? bearerOf(request)
}

function bearerOf({ headers }: HttpRequest): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
}

function tokenTooNarrowError(scopes: readonly TokenScope[]): ServiceError {
  const text = `This token only allows ${scopes.join(', ')} of its session.`
  return new ServiceError('forbidden', text, { scopes: [...scopes] })
}

function revokedError(): ServiceError {
  const text = 'The key that this cdp_url was created with was revoked or has expired'
  return refusedError(`${text}; get the session with another key.`)
}

function refusedError(message: string): ServiceError {
  return new ServiceError('unauthorized', message)
}
