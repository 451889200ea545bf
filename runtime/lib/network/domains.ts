/**
 * Lists of domains, as in `allowed_domains`. `example.com` is that host and its `www.`;
 * `*.example.com` is everything below it, but not the host itself. With a port only that port
 * matches, without one every port. Schemes do not matter.
 */
import { canonicalHost, hostOf } from './hosts.ts'

export interface DomainPattern {
  readonly host: string
  /** Matches all names below the host, but not the host itself. */
  readonly below: boolean
  /** Empty: every port. */
  readonly port: string
}

/** Undefined if the text cannot match any host. */
function domainOf(text: string): DomainPattern | undefined {
  const below = text.startsWith('*.')
  const bare = below ? text.slice(2) : text
  const port = /:(\d{1,5})$/.exec(bare)?.[1] ?? ''
  const host = hostOf(bare.slice(0, port === '' ? undefined : -port.length - 1))?.host
  if (host === undefined || host === '') return undefined
  return { host, below, port: port === '' ? '' : String(Number(port)) }
}

/**
 * True if the URL belongs to one of the domains. A URL without a host, such as `about:blank`,
 * belongs to none.
 */
export function isOfDomains(url: URL, domains: readonly string[]): boolean {
  const host = canonicalHost(url.hostname)
  if (host === '') return false
  const port = url.port === '' ? (portOf[url.protocol] ?? '') : url.port
  return domains.some((text) => {
    const domain = domainOf(text)
    if (!domain || (domain.port !== '' && domain.port !== port)) return false
    if (domain.below) return host.endsWith(`.${domain.host}`)
    return host === domain.host || host === `www.${domain.host}`
  })
}

const portOf: Readonly<Record<string, string>> = {
  'http:': '80',
  'https:': '443',
  'ws:': '80',
  'wss:': '443',
}

/** The domain of a URL, for lists; undefined if it has no host. */
export function domainOfUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { hostname, host } = new URL(url)
  return hostname === '' ? undefined : host
}
