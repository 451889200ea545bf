/**
 * A session's own proxy, dialled at an address that the filter has checked. proxy-chain would resolve
 * the proxy's name once more, and the second answer could be another address.
 */
import { Agent, type AgentOptions } from 'node:https'
import { isIP } from 'node:net'
import { RequestError, type PrepareRequestFunctionResult } from 'proxy-chain'
import type { ProxyOptions } from '../../proto/session/session.ts'
import { canonicalHost } from '../../runtime/lib/network/hosts.ts'

type UpstreamRoute = Pick<PrepareRequestFunctionResult, 'upstreamProxyUrl' | 'httpsAgent'>

export class UpstreamProxy {
  readonly url: URL
  readonly #httpsAgent: Agent

  constructor(options: ProxyOptions) {
    this.url = new URL(upstreamUrl(options))
    const host = canonicalHost(this.url.hostname)
    // Node would take the server name from the Host header, which names the site, not the proxy.
    const tls: AgentOptions = { keepAlive: false, servername: isIP(host) === 0 ? host : '' }
    this.#httpsAgent = new Agent(tls)
  }

  /** `addresses`: what may be dialled. The caller's `dnsLookup` returns the same. */
  routeTo(addresses: readonly { readonly address: string }[]): UpstreamRoute {
    if (!this.url.protocol.startsWith('socks')) {
      return { upstreamProxyUrl: this.url.href, httpsAgent: this.#httpsAgent }
    }
    // For SOCKS, proxy-chain takes neither a look-up nor an agent, nor an IPv6 address.
    const ipv4 = addresses.find(({ address }) => isIP(address) === 4)
    if (!ipv4) {
      throw new RequestError('The SOCKS proxy of this session needs an IPv4 address.', 502)
    }
    const url = new URL(this.url)
    url.hostname = ipv4.address
    return { upstreamProxyUrl: url.href }
  }
}

/**
 * Schemes with which SOCKS proxies resolve the names of sites. With the plain ones, this host would
 * resolve some of them, and its name server would learn which sites are visited.
 */
const remoteNames: Readonly<Record<string, string>> = {
  'socks4:': 'socks4a:',
  'socks5:': 'socks5h:',
}

/** The URL of the upstream proxy with its credentials. */
function upstreamUrl({ server, username, password }: ProxyOptions): string {
  const url = new URL(server)
  url.protocol = remoteNames[url.protocol] ?? url.protocol
  url.username = encodeURIComponent(username ?? '')
  url.password = encodeURIComponent(password ?? '')
  return url.href
}
