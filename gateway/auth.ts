/**
 * Who is calling: keys in headers, session-scoped keys in the query of sockets.
 * Nothing here reaches a log but key ids.
 */
import { ServiceError } from '../proto/errors.ts'
import {
  devKey,
  devTenant,
  equal,
  keyMatches,
  parseKey,
  sessionKeyMatches,
  type KeyRecord,
} from '../proto/key.ts'
import { isTaskToken, readTaskToken, type TaskGrant } from '../proto/task-token.ts'
import type { Clock } from '../runtime/clock.ts'
import type { HttpRequest } from './server/http.ts'

export interface Principal {
  readonly keyId: string
  readonly keyName: string
  readonly tenant: string
  /** Most sessions at once through this key. */
  readonly sessionsMax?: number
}

/** A caller who has to be answered for elsewhere: the key opens other routes to what works for it. */
export interface KeyHolder extends Principal {
  /** Its text. */
  readonly key: string
}

/** An agent at work on a task: its token opens that task's tools and nothing else. */
export interface TaskAgent {
  readonly keyId: 'task'
  readonly grant: TaskGrant
}

/**
 * What a socket may do: reach one session, whose tenant is only known
 * when the tenant's own key was given.
 */
export interface SocketGrant {
  readonly sessionId: string
  readonly keyId: string
  readonly tenant?: string
}

/** What there is to know of a key by its id; fed by a watch on KV `keys`. */
export interface KeySource {
  get(keyId: string): KeyRecord | undefined
}

/** What a follower of steps may see: one session's, or all of a tenant's. */
export type WatchGrant = SocketGrant | Principal

export interface AuthOptions {
  readonly keys: KeySource
  readonly serviceSecret: string
  readonly clock: Clock
  /** True on loopback, or when somebody said so on purpose. */
  readonly acceptsDevKey: boolean
  /** False: whoever knows the id of a session may follow the steps of its tasks. */
  readonly watchingNeedsKey: boolean
}

const keyHeaders = ['service-api-key', 'anchor-api-key'] as const
const createOne = 'create one with: troupe keys create'

export class Authenticator {
  readonly #options: AuthOptions

  constructor(options: AuthOptions) {
    this.#options = options
  }

  /** The caller of a REST route. */
  byHeader(request: HttpRequest): Principal {
    const key = headerKey(request)
    if (key === undefined) {
      throw refused(`A key is needed: send it in the header service-api-key; ${createOne}.`)
    }
    return this.#principal(key)
  }

  /** The caller of a route that clients know as one with bearer tokens. */
  byBearer(request: HttpRequest): KeyHolder | TaskAgent {
    const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
    const key = headerKey(request) ?? token
    if (key !== undefined && isTaskToken(key)) return this.#taskAgent(key)
    if (key === undefined) {
      const ways = 'in the header service-api-key, or as Authorization: Bearer'
      throw refused(`A key is needed: send it ${ways}; ${createOne}.`)
    }
    return { ...this.#principal(key), key }
  }

  /**
   * The caller of a socket or of `/json/*`: a header works there too, for clients that can set one.
   */
  bySocket(request: HttpRequest): SocketGrant {
    const sessionId = request.query.get('sessionId') ?? ''
    const key = request.query.get('apiKey') ?? headerKey(request)
    if (key === undefined || key === '') {
      throw refused('A key is needed: connect to the cdp_url of a session, whose query has one.')
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
    if (sessionKeyMatches(key, this.#options.serviceSecret, sessionId)) {
      return { sessionId, keyId: 'session' }
    }
    const { keyId, tenant } = this.#principal(key)
    return { sessionId, keyId, tenant }
  }

  /** The caller of `/ws`. */
  byWatcher(request: HttpRequest): WatchGrant {
    const sessionId = request.query.get('sessionId')
    const key = request.query.get('apiKey') ?? headerKey(request)
    if (key === undefined && sessionId !== null && !this.#options.watchingNeedsKey) {
      return { sessionId, keyId: 'session' }
    }
    if (key === undefined) {
      throw refused(
        `A key is needed: send it as apiKey in the query, or in the header; ${createOne}.`,
      )
    }
    return sessionId === null ? this.#principal(key) : this.bySocket(request)
  }

  #principal(text: string): Principal {
    if (equal(text, devKey)) return this.#developer()
    const parsed = parseKey(text)
    const record = parsed && this.#options.keys.get(parsed.id)
    // Every way of being wrong looks the same.
    if (!parsed || !record || !keyMatches(record, parsed.secret) || this.#isOver(record)) {
      throw refused(`This key is not known, or no longer; ${createOne}.`)
    }
    const { id, name, tenant } = record
    const sessionsMax = record.limits.sessions
    return { keyId: id, keyName: name, tenant, ...(sessionsMax !== undefined && { sessionsMax }) }
  }

  #taskAgent(token: string): TaskAgent {
    const { serviceSecret, clock } = this.#options
    const grant = readTaskToken(token, serviceSecret, clock.now())
    if (!grant) throw refused('This token is not known, or its task is over.')
    return { keyId: 'task', grant }
  }

  #developer(): Principal {
    if (!this.#options.acceptsDevKey) {
      throw refused(`The development key only works on loopback; ${createOne}.`)
    }
    return { keyId: 'dev', keyName: 'development', tenant: devTenant }
  }

  #isOver({ revokedAtMs, expiresAtMs }: KeyRecord): boolean {
    const over = expiresAtMs !== undefined && expiresAtMs <= this.#options.clock.now()
    return revokedAtMs !== undefined || over
  }
}

/** Either header; both only when they agree, since only one of them could have been meant. */
function headerKey(request: HttpRequest): string | undefined {
  const [first, second] = keyHeaders.map((name) => request.headers.get(name))
  if (first !== undefined && second !== undefined && !equal(first, second)) {
    throw refused(`The headers ${keyHeaders.join(' and ')} hold different keys; send one.`)
  }
  return first ?? second
}

function refused(message: string): ServiceError {
  return new ServiceError('unauthorized', message)
}
