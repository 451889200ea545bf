/** How browsers are connected, and how this service resolves names. */
import { isIP } from 'node:net'
import { setting } from './setting.ts'
import { countText, listText, textThat } from './value-texts.ts'

function isNameServer(text: string): boolean {
  const [, bracketed, bare, port = '53'] =
    /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  if (isIP(text) !== 0) return true
  const isPort = Number(port) > 0 && Number(port) < 65_536
  return isPort && (isIP(bracketed ?? '') === 6 || isIP(bare ?? '') === 4)
}

export const networkSettings = {
  SESSION_CONNECTIONS: setting(
    countText(16),
    512,
    'Connections that the browser of one session may have at once, where they go through the node agent: it has its own network or a network policy.',
  ),
  DNS_SERVERS: setting(
    listText(
      textThat(
        isNameServer,
        'use addresses of name servers, as in 192.0.2.53, [2001:db8::53]:5353',
      ),
    ),
    [],
    'Name servers that the service asks for the names of sites, each an address with or without a port; comma-separated. If empty, those of /etc/resolv.conf.',
  ),
} as const
