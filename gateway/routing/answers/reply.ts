/** Replies in the formats of the service: JSON, HTML, and one error body for all routes. */
import { ServiceError, type ErrorDetails } from '../../../proto/errors.ts'
import { truncateText } from '../../../runtime/lib/text/clean.ts'
import { storageFull, StoreFull, StoreUnavailable } from '../../../runtime/store/store.ts'
import type { HttpReply, HttpRequest } from '../../server/http.ts'
import { routingLimits } from '../limits.ts'

export function jsonReply(status: number, value: unknown): HttpReply {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify(value),
  }
}

const bare = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** For pages without scripts, which load nothing from other origins. */
export function htmlReply(status: number, html: string): HttpReply {
  return pageReply(status, html, `${bare}; style-src 'self'; img-src 'self' data:`)
}

/** For the live view, which has scripts, a socket, and pictures that it creates itself. */
export const livePageReply = framable(
  "script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:",
)

/** For the page of a recording that was handed out: a player with its video and captions. */
export const recordingPageReply = framable(
  "script-src 'self'; style-src 'self'; media-src 'self'; img-src 'self' data:",
)

/**
 * Only a page of ours, or of the origins that its link names, may show it in a frame: browsers tell
 * which page asks for a frame's document.
 */
function framable(own: string) {
  return (
    status: number,
    html: string,
    { headers }: HttpRequest,
    frameAncestors: readonly string[] = [],
  ): HttpReply => {
    const isOurFrame =
      headers.get('sec-fetch-dest') === 'iframe' && headers.get('sec-fetch-site') === 'same-origin'
    const ancestors = [...(isOurFrame ? ["'self'"] : []), ...frameAncestors]
    const policy =
      ancestors.length > 0
        ? bare.replace("ancestors 'none'", `ancestors ${ancestors.join(' ')}`)
        : bare
    return pageReply(status, html, `${policy}; ${own}`)
  }
}

/** With the form that searches. */
const searching = bare.replace("form-action 'none'", "form-action 'self'")

/** For guides and the start page: our scripts, styles and pictures. */
export function guidePageReply(html: string): HttpReply {
  return pageReply(
    200,
    html,
    `${searching}; script-src 'self'; style-src 'self'; img-src 'self' data:`,
  )
}

/** For the API reference, which also reads `/openapi.json` and tries requests at this service. */
export function referencePageReply(html: string): HttpReply {
  const own = "script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:"
  return pageReply(200, html, `${searching}; ${own}`)
}

function pageReply(status: number, html: string, policy: string): HttpReply {
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
    },
    body: html,
  }
}

/** Unknown errors are answered without details; the log has them under the same request id. */
export function errorReply(error: unknown, requestId: string): HttpReply {
  const known = asServiceError(error)
  const { code, type, message, ...rest } = errorBody(known)
  const reply = jsonReply(code, { error: { code, type, message, request_id: requestId, ...rest } })
  return { ...reply, headers: { ...reply.headers, ...errorHeaders(known) } }
}

/** Error details that are sent as a header instead of in the body. */
const inHeaders: Readonly<Record<string, string>> = {
  allow: 'allow',
  accept_patch: 'accept-patch',
  accept_post: 'accept-post',
  challenge: 'www-authenticate',
  connection: 'connection',
  link: 'link',
  ratelimit: 'ratelimit',
  ratelimit_policy: 'ratelimit-policy',
}

export function errorBody({ status, type, message, details }: ServiceError) {
  const inBody = Object.entries(details).filter(([name]) => !Object.hasOwn(inHeaders, name))
  const short = inBody.map(([name, value]) => [name, shortened(value)] as const)
  return { code: status, type, message: shortText(message), ...Object.fromEntries(short) }
}

/** Texts may contain what the caller sent: an answer must not be as large as its request. */
const shortText = (text: string) => truncateText(text, routingLimits.errorTextChars)

function shortened(value: ErrorDetails[string]): ErrorDetails[string] {
  if (typeof value === 'string') return shortText(value)
  if (typeof value !== 'object') return value
  return value.slice(0, routingLimits.errorTextsMax).map(shortText)
}

export function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  if (error instanceof StoreFull) return storageFull(error)
  if (error instanceof StoreUnavailable) {
    const text = 'The store does not answer; try again in a moment.'
    return new ServiceError('unavailable', text, {}, error)
  }
  const message = 'Something failed on our side; the service log has the details.'
  return new ServiceError('internal', message, {}, error)
}

function errorHeaders({ status, details }: ServiceError): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, header] of Object.entries(inHeaders)) {
    if (details[name] !== undefined) headers[header] = String(details[name])
  }
  // Required by HTTP, and clients of MCP and OAuth look for it.
  if (status === 401) headers['www-authenticate'] ??= 'Bearer realm="troupe"'
  const usual = status === 429 || status === 503 ? routingLimits.retryAfterSeconds : undefined
  const seconds = details['retry_after_seconds'] ?? usual
  if (seconds !== undefined) headers['retry-after'] = String(seconds)
  return headers
}

/** The message as words of a status line. */
export const reasonOf = ({ message }: ServiceError): string =>
  message
    .replaceAll('’', "'")
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, 200)
