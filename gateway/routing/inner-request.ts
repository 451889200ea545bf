/**
 * Requests from pages to routes in this process, so that a form passes the same schemas, checks and
 * audit as a REST request.
 */
import {
  fromWireError,
  ServiceError,
  type ErrorDetails,
  type ErrorType,
} from '../../proto/errors.ts'
import type { HttpReply, HttpRequest } from '../server/http.ts'
import type { Route } from './route.ts'

export interface InnerCall {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** The version that the page showed, for `If-Match`. */
  readonly seen?: string
  /** An id of the filled-in form, so that submitting it twice has one effect. */
  readonly once?: string
  /** The `Accept` header. */
  readonly accept?: string
  /** The `Range` header. */
  readonly range?: string
}

/** The headers from which the client's address and that of this service are read. */
const kept = ['x-forwarded-for', 'host'] as const

/** Creates the request for a route that a page calls in this process. */
export function innerRequest(outer: HttpRequest, route: Route, act: InnerCall): HttpRequest {
  const { params = {}, query = {}, body, seen, once, accept, range } = act
  const bytes = body === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(body))
  const headers = new Map<string, string>([['content-length', String(bytes.byteLength)]])
  for (const name of kept) {
    const value = outer.headers.get(name)
    if (value !== undefined) headers.set(name, value)
  }
  if (body !== undefined) headers.set('content-type', 'application/json')
  if (seen !== undefined) headers.set('if-match', /^\d+$/.test(seen) ? `"${seen}"` : seen)
  if (once !== undefined) headers.set('idempotency-key', once)
  if (accept !== undefined) headers.set('accept', accept)
  if (range !== undefined) headers.set('range', range)
  return {
    method: route.method,
    path: route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(params[name] ?? ''),
    ),
    query: new URLSearchParams(query),
    headers,
    remoteAddress: outer.remoteAddress,
    gone: outer.gone,
    body: async () => bytes,
    stream: () => {
      throw new Error('the body of an inner request is whole')
    },
  }
}

/** The error in a stored answer. */
export function storedRefusal({ body }: HttpReply): ServiceError {
  const { error } = JSON.parse(String(body)) as {
    readonly error: { readonly type: ErrorType; readonly message: string } & ErrorDetails
  }
  const { type, message, code: _, request_id: __, ...details } = error
  return fromWireError({ type, message, details })
}
