/**
 * The path of every request: its id, its origin, its route, its caller, its handler; then its
 * answer, its metric and its log line.
 */
import type { Logger } from 'pino'
import { newId } from '../proto/ids.ts'
import { ServiceError } from '../proto/errors.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Authenticator } from './auth.ts'
import { held } from './held.ts'
import type { HttpReply, HttpRequest, SocketHandler, UpgradeReply } from './server/http.ts'
import type { Metrics } from './metrics.ts'
import type { OriginGuard } from './origin.ts'
import { asServiceError, errorReply } from './routing/reply.ts'
import type { Caller, Route } from './routing/route.ts'
import { Router, type Match } from './routing/router.ts'

/** Whoever serves the sockets of some paths. */
export interface SocketEndpoint {
  /** What a log line and a metric call them. */
  readonly name: string
  serves(path: string): boolean
  /** Throws what refuses the upgrade. */
  open(request: HttpRequest): Promise<{ readonly handler: SocketHandler; readonly keyId: string }>
}

export interface AppDeps {
  readonly routes: readonly Route[]
  readonly auth: Authenticator
  readonly origins: OriginGuard
  readonly sockets: readonly SocketEndpoint[]
  readonly metrics: Metrics
  readonly clock: Clock
  readonly log: Logger
}

/** What is learnt on the way and told at its end. */
interface Trace {
  readonly requestId: string
  readonly startedMs: number
  route: string
  keyId?: string
}

/** Accepted from a client so that its log and ours agree. */
const sanePattern = /^[A-Za-z0-9._:-]{1,128}$/

const allowedHeaders = [
  ...['service-api-key', 'anchor-api-key', 'authorization', 'content-type', 'x-request-id'],
  ...['mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id'],
].join(', ')

const knownMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'OPTIONS',
  'POST',
  'PUT',
  'DELETE',
])

export class App {
  readonly #deps: AppDeps
  readonly #router: Router

  constructor(deps: AppDeps) {
    this.#deps = deps
    this.#router = new Router(deps.routes)
  }

  async handle(request: HttpRequest): Promise<HttpReply> {
    const trace = startTrace(request)
    const reply = await this.#answer(request, trace).catch((error: unknown) =>
      this.#fail(error, trace),
    )
    return this.#finish(request, trace, {
      ...reply,
      headers: { ...reply.headers, ...this.#deps.origins.crossOrigin(request) },
    })
  }

  async upgrade(request: HttpRequest): Promise<UpgradeReply> {
    const trace = startTrace(request)
    const endpoint = this.#deps.sockets.find((each) => each.serves(request.path))
    trace.route = endpoint?.name ?? 'none'
    try {
      this.#deps.origins.check(request, true)
      if (!endpoint) {
        throw new ServiceError('not_found', 'No socket is served at this path; see /openapi.json.')
      }
      const { handler, keyId } = await endpoint.open(request)
      trace.keyId = keyId
      this.#tell(request, trace, 101)
      return { accepted: true, handler }
    } catch (error) {
      const reply = this.#finish(request, trace, this.#fail(error, trace))
      return { accepted: false, reply }
    }
  }

  async #answer(request: HttpRequest, trace: Trace): Promise<HttpReply> {
    this.#deps.origins.check(request, false)
    if (request.method === 'OPTIONS') return this.#options(request)
    const { route, params } = this.#match(request)
    trace.route = route.path
    if (request.headers.get('upgrade')?.toLowerCase() === 'websocket') {
      throw new ServiceError('bad_request', 'This is not a whole WebSocket handshake.')
    }
    const caller = this.#caller(route, request)
    if (caller) trace.keyId = caller.keyId
    const answer = route.run({ request, caller, params })
    if (!route.isHeld) return answer
    const whole = answer.catch((error: unknown) => this.#fail(error, trace))
    return held(whole, this.#deps.clock)
  }

  /** Whoever opens the address of a socket in a browser is told what it is. */
  #match({ method, path }: HttpRequest): Match {
    if (!this.#router.has(path) && this.#deps.sockets.some((each) => each.serves(path))) {
      throw new ServiceError(
        'bad_request',
        'A WebSocket is served at this path; connect to it with ws:// or wss://.',
      )
    }
    return this.#router.match(method, path)
  }

  #caller(route: Route, request: HttpRequest): Caller[Route['auth']] {
    switch (route.auth) {
      case 'none':
        return undefined
      case 'key':
        return this.#deps.auth.byHeader(request)
      case 'bearer':
        return this.#deps.auth.byBearer(request)
      case 'socket':
        return this.#deps.auth.bySocket(request)
    }
  }

  /** Also what a browser asks before it lets an invited page call us. */
  #options(request: HttpRequest): HttpReply {
    const allow = this.#router.allow(request.path)
    return {
      status: 200,
      headers: {
        allow,
        'access-control-allow-methods': allow,
        'access-control-allow-headers': allowedHeaders,
        'access-control-max-age': '600',
      },
    }
  }

  #fail(error: unknown, trace: Trace): HttpReply {
    const known = asServiceError(error)
    if (known.type === 'internal') {
      this.#deps.log.error({ err: error, requestId: trace.requestId }, 'request failed')
    }
    return errorReply(known, trace.requestId)
  }

  #finish(request: HttpRequest, trace: Trace, reply: HttpReply): HttpReply {
    this.#tell(request, trace, reply.status)
    return { ...reply, headers: { ...reply.headers, 'x-request-id': trace.requestId } }
  }

  /**
   * The route's pattern, never the path itself: paths and queries
   * have ids, keys and tokens in them.
   */
  #tell({ method }: HttpRequest, trace: Trace, status: number): void {
    const { requestId, route, keyId } = trace
    const ms = Math.round((performance.now() - trace.startedMs) * 100) / 100
    // A client may call its method anything; a metric's labels must stay few.
    this.#deps.metrics.observe(knownMethods.has(method) ? method : 'other', route, status, ms)
    this.#deps.log.info({ method, route, status, ms, requestId, keyId }, 'request')
  }
}

function startTrace(request: HttpRequest): Trace {
  const given = request.headers.get('x-request-id')
  const requestId = given !== undefined && sanePattern.test(given) ? given : newId('req')
  return { requestId, startedMs: performance.now(), route: 'none' }
}
