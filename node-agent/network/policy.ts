/** What a policy says of an address: pure. */
import type { NetworkPolicy } from '../../proto/node.ts'
import { isOfDomains } from '../../runtime/network/domains.ts'
import { anywhere, onlyPublic, type Allowance } from '../../runtime/network/guard/allowance.ts'
import { leadsInside } from '../../runtime/network/guard/inside.ts'

/** Whether it leaves anything out. */
export const restricts = ({ allowedDomains, allowsPrivateNetwork }: NetworkPolicy): boolean =>
  allowedDomains !== undefined || !allowsPrivateNetwork

/** A browser that no policy restricts goes anywhere. */
export const allowanceOf = (policy: NetworkPolicy | null): Allowance =>
  !policy || policy.allowsPrivateNetwork ? anywhere : onlyPublic

/**
 * Why it may not be reached, as far as its name tells; undefined when it may. Addresses without a
 * host, as `about:blank` and `data:`, reach nothing.
 */
export function refusalOf(url: URL, policy: NetworkPolicy): string | undefined {
  if (url.hostname === '') return undefined
  const { allowedDomains } = policy
  if (allowedDomains && !isOfDomains(url, allowedDomains)) {
    return `${url.host} is not of the domains that may be reached here: ${allowedDomains.join(', ')}.`
  }
  return leadsInside(url, allowanceOf(policy)) ? isPrivate(url.host) : undefined
}

export const isPrivate = (host: string): string =>
  `${host} is a private address; only those of the internet may be reached here.`
