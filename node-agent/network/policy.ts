/** What a policy says of an address: pure. */
import type { NetworkPolicy } from '../../proto/node.ts'
import { isOfDomains } from '../../runtime/network/domains.ts'
import { canonicalHost, isPrivateHost } from '../../runtime/network/hosts.ts'

/** Whether it leaves anything out. */
export const restricts = ({ allowedDomains, allowsPrivateNetwork }: NetworkPolicy): boolean =>
  allowedDomains !== undefined || !allowsPrivateNetwork

/**
 * Why it may not be reached, as far as its name tells; undefined when it may. Addresses without a
 * host, as `about:blank` and `data:`, reach nothing.
 */
export function refusalOf(url: URL, policy: NetworkPolicy): string | undefined {
  const host = canonicalHost(url.hostname)
  if (host === '') return undefined
  const { allowedDomains, allowsPrivateNetwork } = policy
  if (allowedDomains && !isOfDomains(url, allowedDomains)) {
    return `${url.host} is not of the domains that may be reached here: ${allowedDomains.join(', ')}.`
  }
  if (!allowsPrivateNetwork && isPrivateHost(host)) return isPrivate(url.host)
  return undefined
}

export const isPrivate = (host: string): string =>
  `${host} is a private address; only those of the internet may be reached here.`
