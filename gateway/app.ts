/**
 * The path of every request: its id, origin check, route, caller and handler, then its answer,
 * metric and log line.
 */
import type { Logger } from 'pino'
import { hasSecretText } from '../proto/access/people/secret-text.ts'
import { newId } from '../proto/ids.ts'
import { ServiceError } from '../proto/errors.ts'
import type { Clock } from '../runtime/lib/clock.ts'
import { activeTracer, type OpenSpan } from '../runtime/tracing/tracer.ts'
import type { AccessGate } from './access/gate/gate.ts'
import { hasSecretKey, type Authenticator } from './routing/auth/auth.ts'
import { keepAliveReply } from './routing/answers/keep-alive-reply.ts'
import { requireScope } from './routing/auth/key-scope.ts'
import { hasClearLength } from './server/framing.ts'
import {
  onEveryAnswer,
  type HttpReply,
  type HttpRequest,
  type SocketHandler,
  type UpgradeReply,
} from './server/http.ts'
import type { GatewayTimings } from './service/metrics/gateway-timings.ts'
import type { OriginGuard } from './routing/auth/origin.ts'
import type { RequestAudit } from './service-audit/request-audit.ts'
import type { ErrorPages } from './portal/open.ts'
import { asServiceError, errorReply, reasonOf } from './routing/answers/reply.ts'
import type { Idempotency } from './routing/answers/idempotency.ts'
import type { Caller, RawCall, Route } from './routing/route.ts'
import { Router, type Match } from './routing/router.ts'
import { wrongUrlReply } from './service/pages/wrong-url.tsx'

/** Serves the WebSockets of some paths. */
export interface SocketEndpoint {
  /** The name in log lines and metrics. */
  readonly name: string
  /** Whether its callers authenticate with a key. */
  readonly isKeyed: boolean
  serves(path: string): boolean
  /** Throws the error that refuses the upgrade. */
  open(request: HttpRequest): Promise<{ readonly handler: SocketHandler; readonly keyId: string }>
}

export interface AppDeps {
  readonly routes: readonly Route[]
  readonly auth: Authenticator
  /** Authenticates callers of the scoped-access routes. */
  readonly access: AccessGate
  readonly idempotency: Idempotency
  readonly origins: OriginGuard
  /** Renders errors of paths that people open in a browser as pages. */
  readonly errorPages?: ErrorPages
  readonly sockets: readonly SocketEndpoint[]
  readonly timings: Pick<GatewayTimings, 'answered'>
  readonly audit: RequestAudit
  readonly clock: Clock
  readonly log: Logger
}

/** Collected while a request is handled, and logged at its end. */
interface Trace {
  readonly requestId: string
  readonly startedMs: number
  readonly span?: OpenSpan | undefined
  route: string
  /** Set if no route answers this method and path. */
  isWrongUrl?: boolean
  keyId?: string
  /** Headers that the answer gets in every case. */
  headers?: Readonly<Record<string, string>>
}

/** Requested every few seconds by monitoring. */
const untraced = /^\/(metrics$|health\/)/

/** A client's request id is accepted if it matches, so that both logs have the same id. */
const sanePattern = /^[A-Za-z0-9._:-]{1,128}$/

const allowedHeaders = [
  ...['service-api-key', 'anchor-api-key', 'authorization', 'content-type', 'x-request-id'],
  ...['if-match', 'if-none-match', 'idempotency-key'],
  ...['mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id'],
].join(', ')

const knownMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'OPTIONS',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
])

export class App {
  readonly #deps: AppDeps
  readonly #router: Router

  constructor(deps: AppDeps) {
    this.#deps = deps
    this.#router = new Router(deps.routes)
  }

  handle(request: HttpRequest): Promise<HttpReply> {
    return this.#traced(request, (span) => this.#handle(request, startTrace(request, span)))
  }

  upgrade(request: HttpRequest): Promise<UpgradeReply> {
    return this.#traced(request, (span) => this.#upgrade(request, startTrace(request, span)))
  }

  #traced<T>(request: HttpRequest, work: (span?: OpenSpan) => Promise<T>): Promise<T> {
    const tracer = activeTracer()
    if (!tracer || untraced.test(request.path)) return work()
    const parent = request.headers.get('traceparent')
    return tracer.run('request', { kind: 'server', parent }, work)
  }

  async #handle(request: HttpRequest, trace: Trace): Promise<HttpReply> {
    const reply = await this.#answer(request, trace).catch((error: unknown) =>
      this.#fail(error, trace, request),
    )
    const { vary, ...invited } = this.#deps.origins.crossOrigin(request)
    const own = { ...trace.headers, ...reply.headers }
    const varies = [own['vary'], vary].filter((name) => name !== undefined)
    return this.#finish(request, trace, {
      ...reply,
      headers: {
        ...own,
        ...invited,
        ...(varies.length > 0 && { vary: varies.join(', ') }),
      },
    })
  }

  async #upgrade(request: HttpRequest, trace: Trace): Promise<UpgradeReply> {
    const endpoint = this.#deps.sockets.find((each) => each.serves(request.path))
    trace.route = endpoint?.name ?? 'none'
    try {
      const isKeyed = endpoint?.isKeyed === true && hasSecretKey(request)
      this.#deps.origins.check(request, isKeyed ? 'keyed socket' : 'socket')
      if (!endpoint) {
        throw new ServiceError('not_found', 'No socket is served at this path; see /openapi.json.')
      }
      const { handler, keyId } = await this.#open(endpoint, request)
      trace.keyId = keyId
      this.#tell(request, trace, 101)
      return { accepted: true, handler }
    } catch (error) {
      const reply = this.#finish(request, trace, this.#fail(error, trace))
      return { accepted: false, reply }
    }
  }

  async #open(endpoint: SocketEndpoint, request: HttpRequest) {
    try {
      return await endpoint.open(request)
    } catch (error) {
      if (isUnauthorized(error)) this.#deps.audit.keyRefused(request, endpoint.name)
      throw error
    }
  }

  async #answer(request: HttpRequest, trace: Trace): Promise<HttpReply> {
    refuseUnclearLength(request)
    this.#deps.origins.check(request, 'request')
    await this.#deps.access.refuseSecretInUrl(request, trace.requestId)
    if (request.method === 'OPTIONS') return this.#options(request)
    const { route, params } = this.#match(request, trace)
    trace.route = route.path
    if (request.headers.get('upgrade')?.toLowerCase() === 'websocket') {
      throw new ServiceError('bad_request', 'This is not a complete WebSocket handshake.')
    }
    if (route.auth === 'access') trace.headers = { vary: 'authorization' }
    const caller = await this.#caller({ route, params }, request, trace)
    if (caller) trace.keyId = caller.keyId
    this.#demandScope(caller, route, request)
    if (caller && 'answerHeaders' in caller) {
      trace.headers = { ...trace.headers, ...caller.answerHeaders }
    }
    const { requestId } = trace
    const answer = this.#run(route, { request, requestId, caller, params }, trace)
    if (!route.isHeld) return answer
    const whole = answer.catch((error: unknown) => this.#fail(error, trace))
    return keepAliveReply(whole, this.#deps.clock)
  }

  #run(route: Route, call: RawCall, trace: Trace): Promise<HttpReply> {
    const { request, caller } = call
    const { audit, idempotency } = this.#deps
    if (!route.makes || caller === undefined || !request.headers.has('idempotency-key')) {
      return audit.run(route, call)
    }
    return idempotency.once(route, request, caller, (lasting, attempt) =>
      audit
        .run(route, { ...call, request: lasting, attempt })
        .catch((error: unknown) => this.#fail(error, trace)),
    )
  }

  /** Tells a client that sends a plain request to a WebSocket path what the path is for. */
  #match({ method, path }: HttpRequest, trace: Trace): Match {
    trace.isWrongUrl = true
    if (!this.#router.has(path) && this.#deps.sockets.some((each) => each.serves(path))) {
      throw new ServiceError(
        'bad_request',
        'A WebSocket is served at this path; connect to it with ws:// or wss://.',
      )
    }
    const match = this.#router.match(method, path)
    trace.isWrongUrl = false
    return match
  }

  async #caller(
    { route, params }: Match,
    request: HttpRequest,
    trace: Trace,
  ): Promise<Caller[Route['auth']]> {
    const { auth, access, audit } = this.#deps
    try {
      switch (route.auth) {
        case 'none':
          return undefined
        case 'key':
          return auth.byHeader(request, { scope: route.scope, sessionId: params['session_id'] })
        case 'bearer':
          return auth.byBearer(request)
        case 'socket':
          return auth.bySocket(request)
        case 'opener':
          return auth.byOpener(request)
        case 'access':
          return await access.authenticate(request, trace, route.access)
      }
    } catch (error) {
      // Scoped access has an audit of its own, to which its gate has already written.
      if (route.auth !== 'access' && isUnauthorized(error)) {
        audit.keyRefused(request, `${route.method} ${route.path}`)
      }
      throw error
    }
  }

  /** An agent that works on a task has the permissions of its task, not those of a key. */
  #demandScope(caller: Caller[Route['auth']], route: Route, request: HttpRequest): void {
    if (caller === undefined || !('scopes' in caller)) return
    if (route.auth !== 'key' && route.auth !== 'bearer') return
    try {
      requireScope(caller.scopes, route.scope ?? 'any')
    } catch (error) {
      this.#deps.audit.scopeRefused(request, caller, route)
      throw error
    }
  }

  /** Answers OPTIONS, which browsers also send as a preflight of an allowed page. */
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

  #fail(error: unknown, trace: Trace, request?: HttpRequest): HttpReply {
    const known = asServiceError(error)
    if (known.type === 'internal') {
      this.#deps.log.error({ err: error, requestId: trace.requestId }, 'request failed')
    }
    const page = this.#errorPage(known, trace, request)
    if (page) return page
    const reply = errorReply(known, trace.requestId)
    // Clients that look for DevTools show the words of the status line, and not the body.
    return request?.path.startsWith('/json') ? { ...reply, reason: reasonOf(known) } : reply
  }

  /** Rendering the error page may fail as well, which must not end the gateway. */
  #errorPage(error: ServiceError, trace: Trace, request?: HttpRequest): HttpReply | undefined {
    const { errorPages, log } = this.#deps
    if (!request) return undefined
    try {
      if (errorPages?.serves(request.path)) {
        return errorPages.reply(error, request, trace.requestId)
      }
      if (!trace.isWrongUrl && !request.path.startsWith('/docs/')) return undefined
      return wrongUrlReply(error, request, trace.requestId, (path) => this.#router.has(path))
    } catch (err) {
      log.error({ err, requestId: trace.requestId }, 'page of an error failed')
      return undefined
    }
  }

  #finish(request: HttpRequest, trace: Trace, reply: HttpReply): HttpReply {
    this.#tell(request, trace, reply.status)
    const headers = { ...reply.headers, ...onEveryAnswer, 'x-request-id': trace.requestId }
    return { ...reply, headers }
  }

  /**
   * Logs the route's pattern, never the path itself: paths and queries contain ids, keys and
   * tokens.
   */
  #tell({ method }: HttpRequest, trace: Trace, status: number): void {
    const { requestId, route, keyId } = trace
    const ms = Math.round((performance.now() - trace.startedMs) * 100) / 100
    // Clients can invent method names, but a metric must have few label values.
    const knownMethod = knownMethods.has(method) ? method : 'other'
    this.#deps.timings.answered(knownMethod, route, status, ms)
    this.#deps.log.info({ method, route, status, ms, requestId, keyId }, 'request')
    if (trace.span) describeSpan(trace.span, trace, knownMethod, status)
  }
}

/** Nothing more is read from that connection: where the next request starts is not certain. */
function refuseUnclearLength({ headers }: HttpRequest): void {
  if (hasClearLength(headers)) return
  const text =
    'Where the body ends is not clear; send one Content-Length, or Transfer-Encoding: chunked.'
  throw new ServiceError('bad_request', text, { connection: 'close' })
}

const isUnauthorized = (error: unknown): boolean =>
  error instanceof ServiceError && error.type === 'unauthorized'

/** The attribute names are those of OpenTelemetry. */
function describeSpan(span: OpenSpan, trace: Trace, method: string, status: number): void {
  const { route, requestId } = trace
  span.rename(`${method} ${route}`)
  span.add({
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
    'troupe.request.id': requestId,
  })
  if (status >= 500) span.fail(String(status))
}

function startTrace(request: HttpRequest, span: OpenSpan | undefined): Trace {
  const given = request.headers.get('x-request-id')
  const isSane = given !== undefined && sanePattern.test(given) && !hasSecretText(given)
  const requestId = isSane ? given : newId('req')
  return { requestId, startedMs: performance.now(), route: 'none', span }
}
