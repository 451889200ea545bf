/** What a policy says of an address: pure. */
import type { NetworkPolicy } from '../../proto/node.ts'
import type { SessionNetwork } from '../../proto/session.ts'
import { isOfDomains } from '../../runtime/network/domains.ts'
import { anywhere, onlyPublic, type Allowance } from '../../runtime/network/guard/allowance.ts'
import { leadsInside } from '../../runtime/network/guard/inside.ts'

/** Whether it leaves anything out. */
export const restricts = (policy: NetworkPolicy): boolean =>
  policy.allowedDomains !== undefined ||
  policy.deniedDomains !== undefined ||
  !policy.allowsPrivateNetwork

/** `hasOwnNetwork`: private networks are out of reach unless they are asked for. */
export const policyOf = (
  { allow, deny, allowPrivate }: SessionNetwork,
  hasOwnNetwork: boolean,
): NetworkPolicy => ({
  ...(allow && { allowedDomains: allow }),
  ...(deny && { deniedDomains: deny }),
  allowsPrivateNetwork: allowPrivate ?? !hasOwnNetwork,
})

/** A browser that no policy restricts goes anywhere. */
export const allowanceOf = (policies: readonly NetworkPolicy[]): Allowance =>
  policies.every((policy) => policy.allowsPrivateNetwork) ? anywhere : onlyPublic

/**
 * Why it may not be reached, as far as its name tells; undefined when it may. Addresses without a
 * host, as `about:blank` and `data:`, reach nothing.
 */
export function refusalOf(url: URL, policy: NetworkPolicy): string | undefined {
  if (url.hostname === '') return undefined
  const { allowedDomains, deniedDomains } = policy
  if (deniedDomains && isOfDomains(url, deniedDomains)) {
    return `${url.host} is of the domains that this session may not reach.`
  }
  if (allowedDomains && !isOfDomains(url, allowedDomains)) {
    return `${url.host} is not of the domains that may be reached here: ${allowedDomains.join(', ')}.`
  }
  return leadsInside(url, allowanceOf([policy])) ? isPrivate(url.host) : undefined
}

/** The first reason of one of them. */
export function refusalOfAll(url: URL, policies: readonly NetworkPolicy[]): string | undefined {
  for (const policy of policies) {
    const why = refusalOf(url, policy)
    if (why !== undefined) return why
  }
  return undefined
}

export const isPrivate = (host: string): string =>
  `${host} is a private address; only those of the internet may be reached here.`
