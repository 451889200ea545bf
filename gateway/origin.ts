/**
 * Which web pages may speak to the service. A page in a user's browser can reach loopback too, by
 * its own address or by a name that was rebound to it; so the Host must be one of ours there, and
 * an Origin must be our own or invited.
 */
import { ServiceError } from '../proto/errors.ts'
import { isLoopback } from '../runtime/network/hosts.ts'
import type { HttpRequest } from './server/http.ts'

export interface OriginOptions {
  /** The address listened on. */
  readonly host: string
  /** Empty when there is none. */
  readonly publicUrl: string
  readonly allowedOrigins: readonly string[]
}

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
   * Throws `forbidden` for a Host that is not ours, `origin_not_allowed`
   * for a page that was not invited.
   */
  check(request: HttpRequest, isUpgrade: boolean): void {
    const host = request.headers.get('host')
    if (this.#onLoopback && host !== undefined && !this.#isOurs(host)) {
      throw new ServiceError(
        'forbidden',
        'This service listens on loopback and is not known by that Host; set PUBLIC_URL to name it.',
      )
    }
    const origin = request.headers.get('origin')
    if (origin === undefined || (readOnly.has(request.method) && !isUpgrade)) return
    if (!this.allows(origin, host)) {
      throw new ServiceError(
        'origin_not_allowed',
        `Pages of ${origin} may not use this service; add that origin to ALLOWED_ORIGINS.`,
      )
    }
  }

  /** Headers that let an invited page read our answer. */
  crossOrigin(request: HttpRequest): Record<string, string> {
    const origin = request.headers.get('origin')
    if (origin === undefined || !this.#allowed.has(origin)) return {}
    return {
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'x-request-id, retry-after',
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

/** `example.com:443` in a Host is `example.com` in the origin of an https page. */
function withoutDefaultPort(host: string | undefined, origin: string): string | undefined {
  const { protocol } = new URL(origin)
  const url = `${protocol}//${host}`
  return host !== undefined && URL.canParse(url) ? new URL(url).host : undefined
}
