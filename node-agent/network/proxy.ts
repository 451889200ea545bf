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

/** The URL of the upstream proxy with its credentials. */
export function upstreamUrl({ server, username, password }: ProxyOptions): string {
  const url = new URL(server)
  url.username = encodeURIComponent(username ?? '')
  url.password = encodeURIComponent(password ?? '')
  return url.href
}
