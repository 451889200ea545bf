/**
 * A route is data: what it answers to, who may call it, what goes in and what comes out. The
 * router, validation and `/openapi.json` are all derived from the table of routes; a handler sees
 * only values that fit its schemas.
 */
import type { z } from 'zod'
import { accessLimits } from '../../proto/access/limits.ts'
import { limits } from '../../proto/limits.ts'
import type { ServiceAuditAction, ServiceAuditEntry } from '../../proto/service-audit.ts'
import type { AccessCaller } from '../access/caller.ts'
import type { AccessRule } from '../access/rule.ts'
import type { KeyHolder, Principal, SocketGrant, TaskAgent } from '../auth.ts'
import type { WantedScope } from '../key-scope.ts'
import { parseJson } from '../server/body.ts'
import type { HttpReply, HttpRequest } from '../server/http.ts'
import { isKnown } from './conditions.ts'
import { jsonReply } from './reply.ts'
import { refuseBody, strictJson } from './strict-json.ts'
import { fit, queryOf } from './validate.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What each way of letting a caller in yields to the handler. */
export interface Caller {
  none: undefined
  /** A key in a header. */
  key: Principal
  /** The same, or as a bearer token; that of an agent at work on a task too. */
  bearer: KeyHolder | TaskAgent
  /** `apiKey` and `sessionId` in the query: `/json/*`, as sockets do it. */
  socket: SocketGrant
  /** A bearer token or a person's sign-in of Surface A, whose rules for bodies then hold. */
  access: AccessCaller
}
export type Auth = keyof Caller

/** Of a request with an `Idempotency-Key`, which may have been begun before. */
export interface Attempt {
  /** The same at each attempt; `idLike` makes it the id of what is made. */
  readonly id: string
  /** What came of the attempt before: it failed, or its gateway died with it. */
  readonly after: 'nothing' | 'failure' | 'death'
}

export interface Call<A extends Auth, P, Q, B> {
  readonly caller: Caller[A]
  readonly params: P
  readonly query: Q
  readonly body: B
  readonly request: HttpRequest
  readonly attempt?: Attempt | undefined
  /** As the answer and the log have it, whatever the caller sent. */
  readonly requestId: string
}

/** What a route says of itself, whatever it takes and answers. */
interface Traits {
  readonly method: Method
  /** `/v1/sessions/{session_id}`: a segment in braces is a parameter. */
  readonly path: string
  readonly summary: string
  /** Left out of `/openapi.json`: of use to our own pages only. */
  readonly isInternal?: true
  /** It may take longer than clients wait for a first word: see `held.ts`. */
  readonly isHeld?: true
  /** Something is there afterwards that was not before: it takes an `Idempotency-Key`. */
  readonly makes?: true
  /** The answer has a secret that is shown once: no copy of it is kept. */
  readonly showsSecret?: true
  /** It asks for `If-Match` (`conditions.ts`, in the handler); for `/openapi.json`. */
  readonly needsIfMatch?: true
  /** Its answers have an ETag; for `/openapi.json`. */
  readonly hasEtag?: true
  /** Bodies by the rules of Surface A, for its routes whose `auth` is another one. */
  readonly isStrict?: true
  /** Who may call it, for the gate of Surface A. */
  readonly access?: AccessRule
  /** Each call of it is an entry of the service's audit. */
  readonly audit?: ServiceAuditAction
}

/** What an answer adds to the entry of the service's audit: ids that the path does not have. */
export type AboutAnswer = Pick<ServiceAuditEntry, 'session_id' | 'task_id' | 'detail'>

export interface RouteReply extends HttpReply {
  readonly about?: AboutAnswer
}

interface Spec<A extends Auth, P, Q, B> extends Traits {
  readonly auth: A
  readonly params?: z.ZodType<P>
  readonly query?: z.ZodType<Q>
  readonly body?: z.ZodType<B>
  /** Where another size than a common body's is taken. */
  readonly bodyBytes?: number
  /** The fields of a multipart form, which the handler reads as a stream; for `/openapi.json`. */
  readonly form?: z.ZodType
}

/** Of an answer. An `etag` among them answers `If-None-Match` of a GET with 304. */
type Headers = Readonly<Record<string, string>>

interface JsonSpec<A extends Auth, P, Q, B, R> extends Spec<A, P, Q, B> {
  /** 200, unless it is said. */
  readonly status?: 200 | 201 | 202
  readonly response: z.ZodType<R>
  handler(call: Call<A, P, Q, B>): Promise<R> | R
  headers?(result: R, call: Call<A, P, Q, B>): Headers
  about?(result: R): AboutAnswer
}

interface EmptySpec<A extends Auth, P, Q, B, R> extends Spec<A, P, Q, B> {
  handler(call: Call<A, P, Q, B>): Promise<R> | R
  headers?(result: R, call: Call<A, P, Q, B>): Headers
}

interface RawSpec<A extends Auth, P, Q, B> extends Spec<A, P, Q, B> {
  /** Of a response that is not JSON of a schema. */
  readonly contentType: string
  handler(call: Call<A, P, Q, B>): Promise<HttpReply> | HttpReply
}

/** Which scopes of a key are enough: no route that takes a key goes without a word about it. */
type Scoped<A extends Auth> = A extends 'key' | 'bearer'
  ? { readonly scope: WantedScope }
  : { readonly scope?: never }

/** A route with its types checked and put away. */
export interface Route extends Traits {
  readonly scope?: WantedScope
  readonly auth: Auth
  readonly params?: z.ZodType
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  readonly bodyBytes?: number
  readonly form?: z.ZodType
  readonly response?: z.ZodType
  /** Of success. */
  readonly status: number
  /** Absent where success has no body. */
  readonly contentType?: string
  run(call: RawCall): Promise<RouteReply>
}

/** A call before its schemas were asked. */
export interface RawCall {
  readonly request: HttpRequest
  readonly requestId: string
  readonly caller: Caller[Auth]
  readonly params: Readonly<Record<string, string>>
  readonly attempt?: Attempt
}

export function jsonRoute<A extends Auth, P, Q, B, R>(
  spec: JsonSpec<A, P, Q, B, R> & Scoped<A>,
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
      const { headers, ...reply } = jsonReply(status, result)
      const about = spec.about?.(result)
      return { ...reply, headers: { ...headers, ...more }, ...(about && { about }) }
    },
  }
}

/** Success is 204: there is nothing to say of it. */
export function emptyRoute<A extends Auth, P, Q, B, R>(
  spec: EmptySpec<A, P, Q, B, R> & Scoped<A>,
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

export function rawRoute<A extends Auth, P, Q, B>(spec: RawSpec<A, P, Q, B> & Scoped<A>): Route {
  return { ...spec, status: 200, run: async (raw) => spec.handler(await admit(spec, raw)) }
}

/** How large a body this route takes, in bytes. */
export function bodyLimitOf(route: Pick<Route, 'auth' | 'isStrict' | 'bodyBytes'>): number {
  return route.bodyBytes ?? (isStrict(route) ? accessLimits.bodyBytes : limits.jsonBodyBytes)
}

const isStrict = (route: Pick<Route, 'auth' | 'isStrict'>) =>
  route.auth === 'access' || route.isStrict === true

async function admit<A extends Auth, P, Q, B>(
  spec: Spec<A, P, Q, B>,
  { request, requestId, caller, params, attempt }: RawCall,
): Promise<Call<A, P, Q, B>> {
  const strict = isStrict(spec)
  return {
    request,
    attempt,
    requestId,
    caller: caller as Caller[A],
    params: fit(spec.params, params, 'path', strict) as P,
    query: fit(spec.query, queryOf(spec.query, request.query), 'query', strict) as Q,
    body: fit(spec.body, await bodyOf(spec, request), 'body', strict) as B,
  }
}

/** A route that takes a body takes none as an empty object; one that takes none never looks. */
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
  if (strict) return (await strictJson(request, limitBytes)) ?? {}
  return parseJson(await request.body(limitBytes), request.headers.get('content-type')) ?? {}
}
