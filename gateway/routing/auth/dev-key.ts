/**
 * Decides whether a request may use a development key: only callers on this machine may. Requests
 * through a proxy also come from loopback and are recognised by the headers that proxies add. The
 * well-known key is public, so requests of other sites' pages may not use it.
 */
import { devKey } from '../../../proto/accounts/dev-key.ts'
import { equalInConstantTime } from '../../../proto/accounts/key.ts'
import { devKeys } from '../../../runtime/accounts/keys/client-key.ts'
import { devKeyRefusal, type DevKeyConfig } from '../../../runtime/accounts/keys/dev-key-refusal.ts'
import type { OriginGuard } from './origin.ts'
import type { HttpRequest } from '../../server/http.ts'

const forwarding: ReadonlySet<string> = new Set([
  ...['forwarded', 'via', 'x-real-ip', 'x-client-ip', 'x-cluster-client-ip', 'true-client-ip'],
  ...[
    'x-original-host',
    'x-original-forwarded-for',
    'x-proxyuser-ip',
    'x-remote-addr',
    'client-ip',
  ],
  ...['fastly-client-ip', 'fly-client-ip', 'do-connecting-ip', 'x-azure-clientip', 'x-azure-ref'],
  ...['cdn-loop', 'x-vercel-id'],
])
/**
 * Headers of Cloudflare, Tailscale, Envoy, App Engine, CloudFront and of proxies that write
 * `X-Forwarded-For`.
 */
const prefixes = ['x-forwarded-', 'cf-', 'tailscale-', 'x-envoy-', 'x-appengine-', 'cloudfront-']

export class DevKeyRule {
  readonly #config: DevKeyConfig
  readonly #keys: readonly string[]
  readonly #origins: Pick<OriginGuard, 'allows'>

  constructor(config: DevKeyConfig, origins: Pick<OriginGuard, 'allows'>) {
    this.#config = config
    this.#keys = devKeys(config)
    this.#origins = origins
  }

  isDevKey(text: string): boolean {
    return this.#keys.some((key) => equalInConstantTime(key, text))
  }

  /** The key that the start page may show, because it is public anyway. */
  get wellKnown(): string | undefined {
    return this.#keys.includes(devKey) ? devKey : undefined
  }

  /** Where this caller finds a development key that it may use; undefined if it may use none. */
  hintFor(request: Pick<HttpRequest, 'headers'>): string | undefined {
    const { wellKnown } = this
    if (wellKnown !== undefined && this.refusalOf(wellKnown, request) === undefined) {
      return `on this machine ${wellKnown} is accepted`
    }
    if (this.#keys.length === 0 || this.whyNot(request) !== undefined) return undefined
    return 'to get the key of this machine: npm run troupe -- keys dev'
  }

  /** The reason why this request may not use that key, as the middle of a sentence. */
  refusalOf(key: string, request: Pick<HttpRequest, 'headers'>): string | undefined {
    const why = this.whyNot(request)
    if (why !== undefined || key !== devKey) return why
    return this.#isOfOtherSite(request)
      ? 'this request comes from a page of another site'
      : undefined
  }

  /** The reason why this request may not use any development key, as the middle of a sentence. */
  whyNot({ headers }: Pick<HttpRequest, 'headers'>): string | undefined {
    const why = devKeyRefusal(this.#config)
    if (why !== undefined || this.#config.ALLOW_DEV_KEY) return why
    const name = forwardingHeader(headers)
    return name === undefined
      ? undefined
      : `the header ${name} shows that a proxy forwarded this request`
  }

  /** Browsers send the page's origin in `RequestOrigin` or its relation to us in `Sec-Fetch-Site`. */
  #isOfOtherSite({ headers }: Pick<HttpRequest, 'headers'>): boolean {
    const origin = headers.get('origin')
    const site = headers.get('sec-fetch-site')
    if (origin === undefined) return site !== undefined && site !== 'none' && site !== 'same-origin'
    if (origin === 'null') return site !== 'same-origin'
    return !this.#origins.allows(origin, headers.get('host'))
  }
}

/** The first header that shows that a proxy forwarded this request. */
export function forwardingHeader(headers: HttpRequest['headers']): string | undefined {
  return [...headers.keys()].find(isForwarding)
}

function isForwarding(name: string): boolean {
  return forwarding.has(name) || prefixes.some((prefix) => name.startsWith(prefix))
}
