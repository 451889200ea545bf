/**
 * Whether a connection to a stranger's address may be made, asked where it is made: of the host as
 * it is written, of every address that its name has at that moment, and of the peer that answered.
 */
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { isOfDomains } from '../domains.ts'
import { canonicalHost } from '../hosts.ts'
import { anyLookup, lookupWhere, NotPublic } from './lookup.ts'
import { isOpenAddress, type Allowance } from './allowance.ts'
import { leadsInside } from './inside.ts'

export interface Reach {
  readonly host: string
  /** For TLS: undefined for an address, which has no name to send. */
  readonly servername: string | undefined
  /** Refuses names of which one address is private. */
  readonly lookup: LookupFunction
  /** Throws for a connection that has come to a private address all the same. */
  readonly admit: (socket: Pick<Socket, 'remoteAddress'>) => void
}

/** Throws {@link NotPublic}. */
export function reach(url: URL, allowance: Allowance, resolve: LookupFunction = anyLookup): Reach {
  const host = canonicalHost(url.hostname)
  const isAddress = isIP(host) !== 0
  const servername = isAddress ? undefined : host
  if (isOfDomains(url, allowance.hosts)) {
    return { host, servername, lookup: resolve, admit: () => undefined }
  }
  if (isOwnPort(url, allowance)) throw new NotPublic(host)
  const isOpen = (address: string) => isOpenAddress(address, allowance)
  // Addresses are never looked up.
  if (leadsInside(url, allowance)) throw new NotPublic(host)
  const admit = ({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>) => {
    if (!isOpen(remoteAddress)) throw new NotPublic(host)
  }
  return { host, servername, lookup: lookupWhere(isOpen, resolve), admit }
}

/** Ports of the service itself matter where a range of its own network is open. */
const isOwnPort = ({ port }: URL, { ranges, closedPorts }: Allowance): boolean =>
  ranges.length > 0 && closedPorts.includes(Number(port))
