/**
 * Replies with files of the DevTools front end. The files come from the session's browser, which is
 * not trusted. So every reply has a content security policy with `sandbox`: the page has an opaque
 * origin without this service's cookies and storage, and cannot read this service's responses.
 */
import { extname } from 'node:path'
import type { ServiceError } from '../../proto/errors.ts'
import { htmlReply } from '../routing/answers/reply.ts'
import type { HttpReply } from '../server/http.ts'
import { framedPage } from '../service/pages/page-frame.tsx'
import { inspectorLimits } from './limits.ts'

/** Determined by the extension, never by the browser's own content type. */
const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.avif': 'image/avif',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
}

/** Undefined for files that are not served. */
export const inspectorFileType = (file: string): string | undefined => contentTypes[extname(file)]

const policy = [
  'sandbox allow-scripts allow-downloads',
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  // A sandboxed page cannot load workers from URLs: see `web/inspector/sandbox.js`.
  'worker-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const headers = {
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
}

/**
 * The sandboxed page has an opaque origin, so requests for its modules and fonts are cross-origin.
 */
export function inspectorFileReply(contentType: string, body: Uint8Array): HttpReply {
  return {
    status: 200,
    headers: {
      ...headers,
      'content-type': contentType,
      'access-control-allow-origin': '*',
      'cache-control': `private, max-age=${inspectorLimits.fileKeptSeconds}`,
    },
    body,
  }
}

const ownPolicy = /<meta\s+http-equiv="Content-Security-Policy"[^>]*>/i
const shim = '<script src="/web/inspector/sandbox.js"></script>'

/**
 * The browser's page with our policy instead of its own, and with an additional first script that
 * replaces the features which a sandbox lacks.
 */
export function inspectorPageReply(html: string): HttpReply {
  const place = /<meta charset="utf-8"\s*\/?>/i
  // If the insertion point is missing, the script is left out; the front end then reports what it
  // lacks.
  const body = html.replace(ownPolicy, '').replace(place, `$&${shim}`)
  return {
    status: 200,
    headers: {
      ...headers,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
    },
    body,
  }
}

/** For a person who opens an expired link. */
export function inspectorRefusalReply({ status, message }: ServiceError): HttpReply {
  const heading = status === 401 ? 'This link is no longer valid' : 'DevTools cannot be opened'
  const html = framedPage({
    title: `${heading} – Troupe`,
    heading,
    lead: message,
    children: (
      <p>
        <a class="button main" href="/console">
          To the console
        </a>
      </p>
    ),
  })
  return htmlReply(status, html)
}
