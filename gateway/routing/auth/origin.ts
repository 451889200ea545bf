/**
 * Decides which web pages may call the service. A page in a user's browser can reach loopback, by
 * address or by a name rebound to it. So on loopback the Host must be one of ours, and an Origin
 * must be our own or allowed, unless the caller has a key that no page can know.
 */
import { ServiceError } from '../../../proto/errors.ts'
import { isLoopback } from '../../../runtime/lib/network/hosts.ts'
import type { HttpRequest } from '../../server/http.ts'

export interface OriginOptions {
  /** The address that the gateway listens on. */
  readonly host: string
  /** Empty if not set. */
  readonly publicUrl: string
  readonly allowedOrigins: readonly string[]
}

/**
 * A keyed socket has a key in its URL that no page can know. Extensions dial from an origin of
 * their own, with the cdp_url they were given.
 */
type Asked = 'request' | 'socket' | 'keyed socket'
const exposedHeaders = [
  ...['x-request-id', 'retry-after', 'location', 'etag', 'link', 'www-authenticate'],
  ...['idempotent-replayed', 'ratelimit', 'ratelimit-policy'],
].join(', ')

const readOnly: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

export class OriginGuard {
  readonly #onLoopback: boolean
  readonly #publicHost: string | undefined
  readonly #allowed: ReadonlySet<string>

  constructor({ host, publicUrl, allowedOrigins }: OriginOptions) {
    this.#onLoopback = isLoopback(host)
    this.#publicHost = publicUrl === '' ? undefined : new URL(publicUrl).host
    this.#allowed = new Set(allowedOrigins)
  }

  /**
   * Throws `forbidden` for a Host that is not ours, and `origin_not_allowed` for a page that is not
   * allowed.
   */
  check(request: HttpRequest, kind: Asked): void {
    const host = request.headers.get('host')
    if (this.#onLoopback && host !== undefined && !this.#isOurs(host)) {
      throw new ServiceError(
        'forbidden',
        'This service listens on loopback and does not accept this Host header; set ' +
          'PUBLIC_URL to allow it.',
      )
    }
    const origin = request.headers.get('origin')
    if (origin === undefined || kind === 'keyed socket') return
    if (kind === 'request' && readOnly.has(request.method)) return
    // A page with `Referrer-Policy: no-referrer` sends forms without an origin; `Sec-Fetch-Site`
    // then tells whether the page is ours.
    const site = request.headers.get('sec-fetch-site')
    if (kind === 'request' && origin === 'null' && site === 'same-origin') return
    if (!this.allows(origin, host)) {
      throw new ServiceError(
        'origin_not_allowed',
        `Pages of ${origin} cannot use this service; add this origin to ALLOWED_ORIGINS.`,
      )
    }
  }

  /** The CORS headers that let an allowed page read our answer. */
  crossOrigin(request: HttpRequest): Record<string, string> {
    const origin = request.headers.get('origin')
    if (origin === undefined || !this.#allowed.has(origin)) return {}
    return {
      'access-control-allow-origin': origin,
      'access-control-expose-headers': exposedHeaders,
      vary: 'origin',
    }
  }

  allows(origin: string, host: string | undefined): boolean {
    if (this.#allowed.has(origin)) return true
    if (!URL.canParse(origin)) return false
    const own = new URL(origin).host
    return own !== '' && (own === this.#publicHost || own === withoutDefaultPort(host, origin))
  }

  #isOurs(host: string): boolean {
    return host === this.#publicHost || isLoopback(hostname(host))
  }
}

function hostname(host: string): string {
  return host.replace(/:\d*$/, '').toLowerCase()
}

/** `example.com:443` in a Host equals `example.com` in the origin of an https page. */
function withoutDefaultPort(host: string | undefined, origin: string): string | undefined {
  const { protocol } = new URL(origin)
  const url = `${protocol}//${host}`
  return host !== undefined && URL.canParse(url) ? new URL(url).host : undefined
}
