/**
 * Checks a connection to an untrusted address when it is made: the host as written, every address
 * that its name resolves to at that moment, and the peer that answered.
 */
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { isOfDomains } from '../domains.ts'
import { canonicalHost } from '../hosts.ts'
import { anyLookup, lookupWhere, NotPublic } from './lookup.ts'
import { isOpenAddress, type Allowance } from './allowance.ts'
import { leadsToPrivateNetwork } from './internal-url.ts'

export interface ConnectionGuard {
  readonly host: string
  /** For TLS; undefined for an IP address, which has no server name. */
  readonly servername: string | undefined
  /** Refuses names if one of their addresses is private. */
  readonly lookup: LookupFunction
  /** Throws if the connection has reached a private address all the same. */
  readonly admit: (socket: Pick<Socket, 'remoteAddress'>) => void
}

/** Throws {@link NotPublic}. */
export function guardConnection(
  url: URL,
  allowance: Allowance,
  resolve: LookupFunction = anyLookup,
): ConnectionGuard {
  const host = canonicalHost(url.hostname)
  const isAddress = isIP(host) !== 0
  const servername = isAddress ? undefined : host
  if (isOfDomains(url, allowance.hosts)) {
    return { host, servername, lookup: resolve, admit: () => undefined }
  }
  if (isOwnPort(url, allowance)) throw new NotPublic(host)
  const isOpen = (address: string) => isOpenAddress(address, allowance)
  // IP addresses are never looked up, so they are checked here.
  if (leadsToPrivateNetwork(url, allowance)) throw new NotPublic(host)
  const admit = ({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>) => {
    if (!isOpen(remoteAddress)) throw new NotPublic(host)
  }
  return { host, servername, lookup: lookupWhere(isOpen, resolve), admit }
}

/** The service's own ports matter if a range of its own network is open. */
const isOwnPort = ({ port }: URL, { ranges, closedPorts }: Allowance): boolean =>
  ranges.length > 0 && closedPorts.includes(Number(port))
