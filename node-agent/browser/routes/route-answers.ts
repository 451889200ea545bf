/** What a route says to a request, as Chromium takes it. Pure. */
import { STATUS_CODES } from 'node:http'
import type { Protocol } from 'devtools-protocol'
import type { RouteRule } from '../../../proto/commands/page/routing.ts'

type Request = Pick<Protocol.Network.Request, 'method' | 'headers'>
type Answer = Omit<Protocol.Fetch.FulfillRequestRequest, 'requestId'>
type Headers = Readonly<Record<string, string>>

const failures: Readonly<Record<NonNullable<RouteRule['abort']>, Protocol.Network.ErrorReason>> = {
  failed: 'Failed',
  aborted: 'Aborted',
  timedout: 'TimedOut',
  accessdenied: 'AccessDenied',
  connectionclosed: 'ConnectionClosed',
  connectionreset: 'ConnectionReset',
  connectionrefused: 'ConnectionRefused',
  connectionfailed: 'ConnectionFailed',
  namenotresolved: 'NameNotResolved',
  internetdisconnected: 'InternetDisconnected',
  addressunreachable: 'AddressUnreachable',
  blockedbyclient: 'BlockedByClient',
}

export const failureOf = (abort: NonNullable<RouteRule['abort']>) => failures[abort]

const asksForMethod = 'access-control-request-method'

/** A browser's question whether a page of another origin may send its request. */
export const isPreflight = ({ method, headers }: Request): boolean =>
  method === 'OPTIONS' && valueOf(headers, asksForMethod) !== undefined

/** Of the request that a preflight is for. */
export const methodOf = (request: Request): string =>
  (isPreflight(request) && valueOf(request.headers, asksForMethod)) || request.method

/** It may send it. */
export const preflightAnswer = ({ headers }: Request): Answer =>
  answerOf(204, {
    ...allowedOrigin(headers),
    'access-control-allow-methods': valueOf(headers, asksForMethod) ?? '*',
    'access-control-allow-headers': valueOf(headers, 'access-control-request-headers') ?? '*',
  })

/** Pages of other origins may read it, unless the route has its own headers about that. */
export function routeAnswer(rule: RouteRule, { headers: sent }: Request): Answer {
  const { status = 200, headers = {}, body = '', base64 } = rule
  const own = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const all = { ...typeOf(rule), ...allowedOrigin(sent), ...own }
  return { ...answerOf(status, all), body: base64 ? body : Buffer.from(body).toString('base64') }
}

const answerOf = (status: number, headers: Headers): Answer => ({
  responseCode: status,
  // Chromium refuses a status without a phrase of which it knows none.
  responsePhrase: STATUS_CODES[status] ?? 'Status',
  responseHeaders: Object.entries(headers).map(([name, value]) => ({ name, value })),
})

function typeOf({ content_type: given, body, base64 }: RouteRule): Headers {
  if (given !== undefined) return { 'content-type': base64 ? given : withCharset(given) }
  if (body === undefined || base64) return {}
  return { 'content-type': isJson(body) ? 'application/json' : withCharset('text/plain') }
}

const withCharset = (type: string) =>
  /^text\//i.test(type) && !/charset=/i.test(type) ? `${type}; charset=utf-8` : type

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

function allowedOrigin(sent: Headers): Headers {
  const origin = valueOf(sent, 'origin')
  if (origin === undefined) return {}
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    vary: 'Origin',
  }
}

const valueOf = (headers: Headers, wanted: string): string | undefined =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1]
