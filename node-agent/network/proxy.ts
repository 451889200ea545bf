/**
 * Chromium accepts a proxy's address but not its credentials, so a small proxy on loopback adds
 * them.
 */
import { anonymizeProxy, closeAnonymizedProxy } from 'proxy-chain'
import type { ProxyOptions } from '../../proto/session/session.ts'

export interface ProxyLink {
  /** The value for --proxy-server. */
  readonly server: string
  close(): Promise<void>
}

export async function openProxy(options: ProxyOptions): Promise<ProxyLink> {
  const { server, username, password } = options
  if (username === undefined && password === undefined) {
    return { server, close: async () => {} }
  }
  const local = await anonymizeProxy({ url: upstreamUrl(options) })
  return {
    server: local,
    close: async () => {
      await closeAnonymizedProxy(local, true)
    },
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
export function upstreamUrl({ server, username, password }: ProxyOptions): string {
  const url = new URL(server)
  url.protocol = remoteNames[url.protocol] ?? url.protocol
  url.username = encodeURIComponent(username ?? '')
  url.password = encodeURIComponent(password ?? '')
  return url.href
}
