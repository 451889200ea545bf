/**
 * Whether a URL leads into a private network, as far as its text tells: for a clear word to whoever
 * sets it. Where its name leads is asked when it is connected to (`reach.ts`).
 */
import { isIP } from 'node:net'
import { isOfDomains } from '../domains.ts'
import { canonicalHost, isPrivateHost } from '../hosts.ts'
import { isOpenAddress, onlyPublic, type Allowance } from './allowance.ts'

export function leadsInside(url: URL, allowance: Allowance = onlyPublic): boolean {
  if (isOfDomains(url, allowance.hosts)) return false
  const host = canonicalHost(url.hostname)
  if (isIP(host) !== 0) return !isOpenAddress(host, allowance)
  // Where ranges are open, a private name may lead into one of them.
  return isPrivateHost(host) && allowance.ranges.length === 0
}
