/**
 * Whom the development key lets in. It stands in every README, so it is for callers on this machine
 * alone; one whom a proxy brought from elsewhere comes from loopback too, and is told by the
 * headers that the proxy added.
 */
import { whyNoDevKey, type DevKeyConfig } from '../runtime/dev-key.ts'
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

  constructor(config: DevKeyConfig) {
    this.#config = config
  }

  /** Why this request may not use it, as the middle of a sentence. */
  whyNot({ headers }: Pick<HttpRequest, 'headers'>): string | undefined {
    const why = whyNoDevKey(this.#config)
    if (why !== undefined || this.#config.ALLOW_DEV_KEY) return why
    const name = forwardingHeader(headers)
    return name === undefined ? undefined : `the header ${name} says that a proxy forwarded this`
  }
}

/** A header that says that a proxy brought this request from elsewhere. */
export function forwardingHeader(headers: HttpRequest['headers']): string | undefined {
  return [...headers.keys()].find(isForwarding)
}

function isForwarding(name: string): boolean {
  return forwarding.has(name) || prefixes.some((prefix) => name.startsWith(prefix))
}
