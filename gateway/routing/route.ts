/**
 * A route is data: what it answers to, who may call it, what goes in and what comes out. The
 * router, validation and `/openapi.json` are all derived from the table of routes; a handler sees
 * only values that fit its schemas.
 */
import type { z } from 'zod'
import type { KeyHolder, Principal, SocketGrant, TaskAgent } from '../auth.ts'
import { parseJson } from '../server/body.ts'
import type { HttpReply, HttpRequest } from '../server/http.ts'
import { jsonReply } from './reply.ts'
import { fit, queryOf } from './validate.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** What each way of letting a caller in yields to the handler. */
export interface Caller {
  none: undefined
  /** A key in a header. */
  key: Principal
  /** The same, or as a bearer token; that of an agent at work on a task too. */
  bearer: KeyHolder | TaskAgent
  /** `apiKey` and `sessionId` in the query: `/json/*`, as sockets do it. */
  socket: SocketGrant
}
export type Auth = keyof Caller

export interface Call<A extends Auth, P, Q, B> {
  readonly caller: Caller[A]
  readonly params: P
  readonly query: Q
  readonly body: B
  readonly request: HttpRequest
}

interface Spec<A extends Auth, P, Q, B> {
  readonly method: Method
  /** `/v1/sessions/{session_id}`: a segment in braces is a parameter. */
  readonly path: string
  readonly summary: string
  readonly auth: A
  /** Left out of `/openapi.json`: of use to our own pages only. */
  readonly isInternal?: true
  /** It may take longer than clients wait for a first word: see `held.ts`. */
  readonly isHeld?: true
  readonly params?: z.ZodType<P>
  readonly query?: z.ZodType<Q>
  readonly body?: z.ZodType<B>
  /** Where more than a common body is taken. */
  readonly bodyBytes?: number
  /** The fields of a multipart form, which the handler reads as a stream; for `/openapi.json`. */
  readonly form?: z.ZodType
}

interface JsonSpec<A extends Auth, P, Q, B, R> extends Spec<A, P, Q, B> {
  readonly response: z.ZodType<R>
  handler(call: Call<A, P, Q, B>): Promise<R> | R
}

interface RawSpec<A extends Auth, P, Q, B> extends Spec<A, P, Q, B> {
  /** Of a response that is not JSON of a schema. */
  readonly contentType: string
  handler(call: Call<A, P, Q, B>): Promise<HttpReply> | HttpReply
}

/** A route with its types checked and put away. */
export interface Route {
  readonly method: Method
  readonly path: string
  readonly summary: string
  readonly auth: Auth
  readonly isInternal?: true
  readonly isHeld?: true
  readonly params?: z.ZodType
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  readonly form?: z.ZodType
  readonly response?: z.ZodType
  readonly contentType: string
  run(call: RawCall): Promise<HttpReply>
}

/** A call before its schemas were asked. */
export interface RawCall {
  readonly request: HttpRequest
  readonly caller: Caller[Auth]
  readonly params: Readonly<Record<string, string>>
}

export function jsonRoute<A extends Auth, P, Q, B, R>(spec: JsonSpec<A, P, Q, B, R>): Route {
  return {
    ...spec,
    contentType: 'application/json',
    run: async (raw) => jsonReply(200, await spec.handler(await admit(spec, raw))),
  }
}

export function rawRoute<A extends Auth, P, Q, B>(spec: RawSpec<A, P, Q, B>): Route {
  return { ...spec, run: async (raw) => spec.handler(await admit(spec, raw)) }
}

async function admit<A extends Auth, P, Q, B>(
  spec: Spec<A, P, Q, B>,
  { request, caller, params }: RawCall,
): Promise<Call<A, P, Q, B>> {
  return {
    request,
    caller: caller as Caller[A],
    params: fit(spec.params, params, 'path') as P,
    query: fit(spec.query, queryOf(spec.query, request.query), 'query') as Q,
    body: fit(spec.body, await bodyOf(spec, request), 'body') as B,
  }
}

/** A route that takes a body takes none as an empty object; one that takes none never looks. */
async function bodyOf(
  { body, bodyBytes }: Pick<Spec<Auth, unknown, unknown, unknown>, 'body' | 'bodyBytes'>,
  request: HttpRequest,
): Promise<unknown> {
  if (body === undefined) return undefined
  const value = parseJson(await request.body(bodyBytes), request.headers.get('content-type'))
  return value ?? {}
}
