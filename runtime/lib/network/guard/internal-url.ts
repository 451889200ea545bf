/**
 * Whether a URL leads into a private network, judged by its text, so that its author gets a clear
 * error at once. The resolved address is checked at each connection (`connection-guard.ts`).
 */
import { isIP } from 'node:net'
import { isOfDomains } from '../domains.ts'
import { canonicalHost, isPrivateHost } from '../hosts.ts'
import { isOpenAddress, publicOnly, type Allowance } from './allowance.ts'

export function leadsToPrivateNetwork(url: URL, allowance: Allowance = publicOnly): boolean {
  if (isOfDomains(url, allowance.hosts)) return false
  const host = canonicalHost(url.hostname)
  if (isIP(host) !== 0) return !isOpenAddress(host, allowance)
  // If ranges are open, a private name may resolve into one of them.
  return isPrivateHost(host) && allowance.ranges.length === 0
}
