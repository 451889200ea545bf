/**
 * Lists of domains, as `allowed_domains` has them. `example.com` is that host and its `www.`;
 * `*.example.com` is everything below it and not itself. With a port only that port is meant,
 * without one every port. Schemes are not told apart.
 */
import { canonicalHost, hostOf } from './hosts.ts'

export interface Domain {
  readonly host: string
  /** All names below the host are meant, in place of it. */
  readonly below: boolean
  /** Empty for every port. */
  readonly port: string
}

/** Undefined for a text that no host could match. */
function domainOf(text: string): Domain | undefined {
  const below = text.startsWith('*.')
  const bare = below ? text.slice(2) : text
  const port = /:(\d{1,5})$/.exec(bare)?.[1] ?? ''
  const host = hostOf(bare.slice(0, port === '' ? undefined : -port.length - 1))?.host
  if (host === undefined || host === '') return undefined
  return { host, below, port: port === '' ? '' : String(Number(port)) }
}

/** Whether an address is of one of the domains. The address of no host, `about:blank`, is of none. */
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

/** The domain that an address is of, for lists; undefined where it has no host. */
export function domainAt(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { hostname, host } = new URL(url)
  return hostname === '' ? undefined : host
}
