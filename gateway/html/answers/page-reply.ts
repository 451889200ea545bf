/** Replies with pages, including their security headers; browsers must not store them. */
import type { CookieJar } from './cookie-jar.ts'
import { toHtml, type Markup } from '../markup.ts'
import type { HttpReply, HttpRequest } from '../../server/http.ts'

const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

export interface ReplyFacts {
  readonly request: HttpRequest
  readonly cookies: Pick<CookieJar, 'isTrustworthy'>
  /** The value of `Set-Cookie`. */
  readonly cookie?: string | undefined
  /** The page has a frame with another page of ours. */
  readonly isFraming?: boolean | undefined
  /** The page plays a video of ours. */
  readonly isPlaying?: boolean | undefined
}

export function pageReply(
  { request, cookies, cookie, isFraming, isPlaying }: ReplyFacts,
  status: number,
  page: Markup,
): HttpReply {
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': [
        policy,
        ...(isFraming ? ["frame-src 'self'"] : []),
        ...(isPlaying ? ["media-src 'self'"] : []),
      ].join('; '),
      'cross-origin-opener-policy': 'same-origin',
      'x-frame-options': 'DENY',
      'referrer-policy': referrerPolicy(request, cookies),
      ...(cookie !== undefined && { 'set-cookie': cookie }),
    },
    body: `<!doctype html>${toHtml(page)}`,
  }
}

/**
 * With no-referrer, browsers send a form with `Origin: null` and tell by `Sec-Fetch-Site` where it
 * comes from. On plain http off this machine they do not send that header, so there the origin is
 * needed.
 */
const referrerPolicy = (request: HttpRequest, cookies: ReplyFacts['cookies']) =>
  cookies.isTrustworthy(request) ? 'no-referrer' : 'same-origin'

export function redirectReply(to: string, cookie?: string): HttpReply {
  return {
    status: 303,
    headers: {
      location: to,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      ...(cookie !== undefined && { 'set-cookie': cookie }),
    },
  }
}
