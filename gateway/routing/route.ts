/**
 * A route is data: its method and path, who may call it, its input and its output. The router,
 * validation and `/openapi.json` are derived from the table of routes; a handler gets only values
 * that match its schemas.
 */
import type { z } from 'zod'
import { accessLimits } from '../../proto/access/limits.ts'
import type { ServiceAuditAction, ServiceAuditEntry } from '../../proto/service-audit.ts'
import type { AccessCaller } from './auth/access-caller.ts'
import type { AccessRule, GrantCall } from './auth/access-rule.ts'
import type { KeyHolder, OpenerGrant, Principal, SocketGrant, TaskAgent } from './auth/auth.ts'
import type { WantedScope } from './auth/key-scope.ts'
import { parseJson } from '../server/body.ts'
import type { HttpReply, HttpRequest } from '../server/http.ts'
import { isKnown } from './answers/conditions.ts'
import { jsonReply } from './answers/reply.ts'
import { refuseBody, strictJson } from './schemas/strict-json.ts'
import { validateInput, queryOf } from './schemas/validate.ts'
import { serverLimits } from '../server/limits.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What a handler gets for each authentication method. */
export interface Caller {
  none: undefined
  /** A key in a header. */
  key: Principal
  /** A key in a header or as a bearer token; also the token of an agent that works on a task. */
  bearer: KeyHolder | TaskAgent
  /** `apiKey` and `sessionId` in the query, as for sockets: used by `/json/*`. */
  socket: SocketGrant
  /** The same; without a `sessionId`, the holder of the key. */
  opener: OpenerGrant
  /** A bearer token or a person's sign-in of scoped access. Its rules for bodies then apply. */
  access: AccessCaller
}
export type Auth = keyof Caller

/** One attempt of a request with an `Idempotency-Key`, and how the previous attempt ended. */
export interface Attempt {
  /** Equal for all attempts; `idLike` turns it into the id of the created object. */
  readonly id: string
  /** The outcome of the previous attempt: it failed, or its gateway died. */
  readonly after: 'nothing' | 'failure' | 'death'
}

/** What a rule grants: see `GrantRule`. Other rules grant nothing. */
type GrantedBy<X> = X extends { grant(call: GrantCall): infer G } ? Awaited<G> : undefined

export interface RouteCall<A extends Auth, P, Q, B, X = unknown> {
  readonly caller: Caller[A]
  readonly granted: GrantedBy<X>
  readonly params: P
  readonly query: Q
  readonly body: B
  readonly request: HttpRequest
  readonly attempt?: Attempt | undefined
  /** The id in the answer and the log, which may differ from the one the client sent. */
  readonly requestId: string
}

/** Validated against the route's schemas by `openapi.test.ts`. */
export interface RouteExample {
  readonly body?: unknown
  readonly answer?: unknown
}

/** Properties of a route that do not depend on its types. */
interface RouteProperties {
  readonly method: Method
  /** A segment in braces is a parameter, as in `/v1/sessions/{session_id}`. */
  readonly path: string
  /** One line: the heading of the route in the API reference. */
  readonly summary: string
  /**
   * Further text for callers of a public route: what it does, when, and with which result.
   * Markdown, for `/openapi.json`. `openapi.test.ts` fails for a public route without a
   * description.
   */
  readonly description?: string
  /**
   * Used for `/openapi.json` where an example composed from the schemas would be too unspecific.
   */
  readonly example?: RouteExample
  /** Not listed in `/openapi.json`, because only our own pages use it. */
  readonly isInternal?: true
  /** The answer may take longer than clients wait for the first byte: see `keep-alive-reply.ts`. */
  readonly isHeld?: true
  /** It creates something, so it accepts an `Idempotency-Key`. */
  readonly makes?: true
  /** The answer contains a secret that is shown once, so the answer is not stored. */
  readonly showsSecret?: true
  /** A JSON body that the handler reads itself; used for `/openapi.json`. */
  readonly ownBody?: z.ZodType
  /** Refusals with these statuses are HTML pages; used for `/openapi.json`. */
  readonly refusalPages?: readonly number[]
  /**
   * It requires `If-Match` (checked in the handler by `conditions.ts`); used for `/openapi.json`.
   */
  readonly needsIfMatch?: true
  /** Its answers have an ETag; used for `/openapi.json`. */
  readonly hasEtag?: true
  /** Applies scoped access's rules for bodies to a route with another `auth`. */
  readonly isStrict?: true
  /** Who may call it, for the gate of scoped access. */
  readonly access?: AccessRule
  /** Each call is written to the service's audit as this action. */
  readonly audit?: ServiceAuditAction
}

/** Ids that the answer adds to the audit entry, because the path does not contain them. */
export type AboutAnswer = Pick<ServiceAuditEntry, 'session_id' | 'task_id' | 'detail'>

export interface RouteReply extends HttpReply {
  readonly about?: AboutAnswer
}

interface Spec<A extends Auth, P, Q, B> extends RouteProperties {
  readonly auth: A
  readonly params?: z.ZodType<P>
  readonly query?: z.ZodType<Q>
  readonly body?: z.ZodType<B>
  /** The size limit of the body, if it differs from the limit of a JSON body. */
  readonly bodyBytes?: number
  /**
   * The fields of a multipart form, which the handler reads as a stream; used for `/openapi.json`.
   */
  readonly form?: z.ZodType
}

/**
 * Headers of an answer. With an `etag`, a matching `If-None-Match` of a GET is answered with 304.
 */
type Headers = Readonly<Record<string, string>>

interface JsonSpec<A extends Auth, P, Q, B, R, X> extends Spec<A, P, Q, B> {
  /** The default is 200. */
  readonly status?: 200 | 201 | 202
  readonly response: z.ZodType<R>
  handler(call: RouteCall<A, P, Q, B, X>): Promise<R> | R
  headers?(result: R, call: RouteCall<A, P, Q, B, X>): Headers
  about?(result: R): AboutAnswer
}

interface EmptySpec<A extends Auth, P, Q, B, R, X> extends Spec<A, P, Q, B> {
  handler(call: RouteCall<A, P, Q, B, X>): Promise<R> | R
  headers?(result: R, call: RouteCall<A, P, Q, B, X>): Headers
}

interface RawSpec<A extends Auth, P, Q, B, X> extends Spec<A, P, Q, B> {
  /** The content types of an answer that is not JSON with a schema. */
  readonly contentType: string | readonly string[]
  handler(call: RouteCall<A, P, Q, B, X>): Promise<HttpReply> | HttpReply
}

/** Requires a scope on every route that accepts a key, so that none can be forgotten. */
type Scoped<A extends Auth> = A extends 'key' | 'bearer'
  ? { readonly scope: WantedScope }
  : { readonly scope?: never }

/** Requires a rule on every route of scoped access, so that none can be forgotten. */
type Declared<A extends Auth, X> = A extends 'access'
  ? { readonly access: X }
  : { readonly access?: never }

/** A route without its type parameters, which were checked when it was made. */
export interface Route extends RouteProperties {
  readonly scope?: WantedScope
  readonly auth: Auth
  readonly params?: z.ZodType
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  readonly bodyBytes?: number
  readonly form?: z.ZodType
  readonly response?: z.ZodType
  /** The status of a successful answer. */
  readonly status: number
  /** Absent if a successful answer has no body. */
  readonly contentType?: string | readonly string[]
  run(call: RawCall): Promise<RouteReply>
}

/** A call before validation. */
export interface RawCall {
  readonly request: HttpRequest
  readonly requestId: string
  readonly caller: Caller[Auth]
  readonly params: Readonly<Record<string, string>>
  readonly attempt?: Attempt
}

export function jsonRoute<A extends Auth, P, Q, B, R, X extends AccessRule>(
  spec: JsonSpec<A, P, Q, B, R, X> & Scoped<A> & Declared<A, X>,
): Route {
  const { status = 200 } = spec
  return {
    ...spec,
    status,
    contentType: 'application/json',
    async run(raw) {
      const call = await admit(spec, raw)
      const result = await spec.handler(call)
      const more = spec.headers?.(result, call)
      const etag = more?.['etag']
      if (etag !== undefined && spec.method === 'GET' && isKnown(raw.request, etag)) {
        return { status: 304, headers: { 'cache-control': 'no-store', ...more } }
      }
      const reply = jsonReply(status, result)
      const about = spec.about?.(result)
      if (more === undefined && about === undefined) return reply
      return { ...reply, headers: { ...reply.headers, ...more }, ...(about && { about }) }
    },
  }
}

/** A route that answers 204 on success, without a body. */
export function emptyRoute<A extends Auth, P, Q, B, R, X extends AccessRule>(
  spec: EmptySpec<A, P, Q, B, R, X> & Scoped<A> & Declared<A, X>,
): Route {
  return {
    ...spec,
    status: 204,
    async run(raw) {
      const call = await admit(spec, raw)
      const result = await spec.handler(call)
      const more = spec.headers?.(result, call)
      return { status: 204, headers: { 'cache-control': 'no-store', ...more } }
    },
  }
}

export function rawRoute<A extends Auth, P, Q, B, X extends AccessRule>(
  spec: RawSpec<A, P, Q, B, X> & Scoped<A> & Declared<A, X>,
): Route {
  return { ...spec, status: 200, run: async (raw) => spec.handler(await admit(spec, raw)) }
}

export function bodyLimitOf(route: Pick<Route, 'auth' | 'isStrict' | 'bodyBytes'>): number {
  return route.bodyBytes ?? (isStrict(route) ? accessLimits.bodyBytes : serverLimits.jsonBodyBytes)
}

const isStrict = (route: Pick<Route, 'auth' | 'isStrict'>) =>
  route.auth === 'access' || route.isStrict === true

async function admit<A extends Auth, P, Q, B, X>(
  spec: Spec<A, P, Q, B>,
  { request, requestId, caller, params, attempt }: RawCall,
): Promise<RouteCall<A, P, Q, B, X>> {
  const strict = isStrict(spec)
  const valid = {
    params: validateInput(spec.params, params, 'path', strict) as P,
    query: validateInput(spec.query, queryOf(spec.query, request.query), 'query', strict) as Q,
    body: validateInput(spec.body, await bodyOf(spec, request), 'body', strict) as B,
  }
  // The gate sets the caller of routes that have a rule.
  const asked = { caller: caller as AccessCaller, request, params }
  const granted = (await spec.access?.grant?.(asked)) as GrantedBy<X>
  return { ...valid, request, attempt, requestId, caller: caller as Caller[A], granted }
}

/** A missing body becomes an empty object. Routes without a body schema do not read the body. */
async function bodyOf<A extends Auth>(
  spec: Spec<A, unknown, unknown, unknown>,
  request: HttpRequest,
): Promise<unknown> {
  const strict = isStrict(spec)
  if (spec.body === undefined) {
    if (strict && spec.form === undefined) refuseBody(request)
    return undefined
  }
  const limitBytes = bodyLimitOf(spec)
  const value = strict
    ? await strictJson(request, limitBytes)
    : parseJson(await request.body(limitBytes), request.headers.get('content-type'))
  return value === undefined ? {} : value
}
