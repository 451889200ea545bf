/** Evaluates network policies. Pure. */
import type { NetworkPolicy } from '../../proto/browser-host/node.ts'
import type { SessionNetwork } from '../../proto/session/session.ts'
import { isOfDomains } from '../../runtime/lib/network/domains.ts'
import {
  anyAddress,
  publicOnly,
  type Allowance,
} from '../../runtime/lib/network/guard/allowance.ts'
import { demoPath } from '../../runtime/browser-host/demo/demo-page.ts'
import { canonicalHost, isLoopback, portOfUrl } from '../../runtime/lib/network/hosts.ts'
import { leadsToPrivateNetwork } from '../../runtime/lib/network/guard/internal-url.ts'
import type { ServicePorts } from './service-ports.ts'

/** The reason of a failed navigation, in place of an error code of Chromium, which knows no policies. */
export const blockedByPolicy = 'blocked_by_policy'

/** Whether the policy forbids any address. */
export const isRestrictive = (policy: NetworkPolicy): boolean =>
  policy.allowedDomains !== undefined ||
  policy.deniedDomains !== undefined ||
  !policy.allowsPrivateNetwork

/** With `hasOwnNetwork`, private networks are forbidden unless the session asks for them. */
export const policyOf = (
  { allow, deny, allowPrivate }: SessionNetwork,
  hasOwnNetwork: boolean,
): NetworkPolicy => ({
  ...(allow && { allowedDomains: allow }),
  ...(deny && { deniedDomains: deny }),
  allowsPrivateNetwork: allowPrivate ?? !hasOwnNetwork,
})

/**
 * Private networks are allowed only if every policy allows them, which includes the case of no
 * policy.
 */
export const allowanceOf = (policies: readonly NetworkPolicy[]): Allowance =>
  policies.every((policy) => policy.allowsPrivateNetwork) ? anyAddress : publicOnly

/**
 * The reason why a URL may not be reached, judged by its name; undefined if it may. URLs without a
 * host, such as `about:blank` and `data:`, are always allowed.
 */
export function policyRefusalOf(url: URL, policy: NetworkPolicy): string | undefined {
  if (url.hostname === '') return undefined
  const why = domainRefusalOf(url, policy)
  if (why !== undefined) return why
  return leadsToPrivateNetwork(url, allowanceOf([policy])) ? isPrivate(url.host) : undefined
}

/** Like `policyRefusalOf`, for the policy's lists of domains alone. */
export function domainRefusalOf(
  url: URL,
  { allowedDomains, deniedDomains }: NetworkPolicy,
): string | undefined {
  if (deniedDomains && isOfDomains(url, deniedDomains)) {
    return `${url.host} is in a denied domain of this session.`
  }
  if (allowedDomains && !isOfDomains(url, allowedDomains)) {
    return `${url.host} is not in the allowed domains: ${allowedDomains.join(', ')}.`
  }
  return undefined
}

/** The reason given by the first policy that refuses the URL. */
export function refusalOfAll(
  url: URL,
  policies: readonly NetworkPolicy[],
  refusalOf = policyRefusalOf,
): string | undefined {
  for (const policy of policies) {
    const why = refusalOf(url, policy)
    if (why !== undefined) return why
  }
  return undefined
}

/** The service's own ports are closed regardless of the policies; judged by the URL alone. */
export const ownPortRefusalOf = (url: URL, closedPorts: readonly number[]): string | undefined =>
  isLoopback(canonicalHost(url.hostname)) && closedPorts.includes(portOfUrl(url))
    ? isOwnPort(url.host)
    : undefined

/** The reason why a page may not navigate to this URL, judged by the URL alone. */
export const navigationRefusalOf = (
  url: URL,
  policies: readonly NetworkPolicy[],
  ports: ServicePorts,
): string | undefined =>
  isDemo(url, ports)
    ? refusalOfAll(url, policies, domainRefusalOf)
    : (refusalOfAll(url, policies) ?? ownPortRefusalOf(url, ports.closed))

/** Whether the filter answers the URL itself, with the demo page. */
export const isDemo = ({ protocol, hostname, port, pathname }: URL, ports: ServicePorts): boolean =>
  protocol === 'http:' && pathname === demoPath && isDemoHost(hostname, Number(port) || 80, ports)

export const isDemoHost = (hostname: string, port: number, { gateways }: ServicePorts): boolean =>
  (hostname === '127.0.0.1' || hostname === 'localhost') && gateways.includes(port)

const isOwnPort = (host: string): string =>
  `${host} is a port of this service itself, which its browsers never reach.`

export const isPrivate = (host: string): string =>
  `${host} is a private address; only public addresses are allowed.`
