/**
 * Whom a development key lets in: callers on this machine alone. One whom a proxy brought from
 * elsewhere comes from loopback too, and is told by the headers that the proxy added. The well-known
 * key stands in every README, so a web page may know it, and gets nothing with it.
 */
import { devKey, equal } from '../proto/key.ts'
import { devKeys, whyNoDevKey, type DevKeyConfig } from '../runtime/dev-key.ts'
import type { OriginGuard } from './origin.ts'
import type { HttpRequest } from './server/http.ts'

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
/** Of Cloudflare, Tailscale, Envoy, CloudFront and all that write `X-Forwarded-For`. */
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
    return this.#keys.some((key) => equal(key, text))
  }

  /** What the page for newcomers may show: everybody who reads it can know it already. */
  get wellKnown(): string | undefined {
    return this.#keys.includes(devKey) ? devKey : undefined
  }

  /** Why this request gets nothing with that key, as the middle of a sentence. */
  refusalOf(key: string, request: Pick<HttpRequest, 'headers'>): string | undefined {
    const why = this.whyNot(request)
    if (why !== undefined || key !== devKey) return why
    return this.#isOfOtherSite(request) ? 'a page of another site asks with it' : undefined
  }

  /** Why this request may not use it, as the middle of a sentence. */
  whyNot({ headers }: Pick<HttpRequest, 'headers'>): string | undefined {
    const why = whyNoDevKey(this.#config)
    if (why !== undefined || this.#config.ALLOW_DEV_KEY) return why
    const name = forwardingHeader(headers)
    return name === undefined ? undefined : `the header ${name} says that a proxy forwarded this`
  }

  /** Browsers say whose page asks, by its origin or, where that is left out, by its distance. */
  #isOfOtherSite({ headers }: Pick<HttpRequest, 'headers'>): boolean {
    const origin = headers.get('origin')
    const site = headers.get('sec-fetch-site')
    if (origin === undefined) return site !== undefined && site !== 'none' && site !== 'same-origin'
    if (origin === 'null') return site !== 'same-origin'
    return !this.#origins.allows(origin, headers.get('host'))
  }
}

/** A header that says that a proxy brought this request from elsewhere. */
export function forwardingHeader(headers: HttpRequest['headers']): string | undefined {
  return [...headers.keys()].find(isForwarding)
}

function isForwarding(name: string): boolean {
  return forwarding.has(name) || prefixes.some((prefix) => name.startsWith(prefix))
}
