/**
 * Checks where a model may send the browser; before the network policy, so that the error is clear.
 */
import { ServiceError } from '../../../proto/errors.ts'
import { limits } from '../../../proto/limits.ts'
import { toNavigationUrl } from '../../../runtime/browser-host/navigation-url.ts'
import { isOfDomains } from '../../../runtime/lib/network/domains.ts'
import { leadsToPrivateNetwork } from '../../../runtime/lib/network/guard/internal-url.ts'
import { canonicalHost } from '../../../runtime/lib/network/hosts.ts'

export interface AddressRules {
  readonly allowedDomains?: readonly string[]
  readonly allowsPrivateNetwork: boolean
}

/**
 * The normalised URL, with its scheme and its host in canonical form. Refuses URLs that are not
 * http, https or about:blank, that contain credentials, or that are out of reach. Names are not
 * resolved here; the node agent checks where they lead.
 */
export function checkedAddress(
  given: string,
  { allowedDomains, allowsPrivateNetwork }: AddressRules,
): string {
  if (given.length > limits.urlBytes)
    throw refusedError(`A URL can have at most ${limits.urlBytes} characters.`)
  const url = new URL(toNavigationUrl(given))
  if (url.href === 'about:blank') return url.href
  if (!/^https?:$/.test(url.protocol)) {
    throw refusedError(
      `Only http, https and about:blank URLs can be opened, not ${url.protocol} ones.`,
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw refusedError('A URL cannot contain a user name or password; log in on the page.')
  }
  if (url.hostname.endsWith('.')) url.hostname = canonicalHost(url.hostname)
  if (allowedDomains && !isOfDomains(url, allowedDomains)) {
    throw refusedError(
      `${url.host} is not in the allowed domains of this task: ${allowedDomains.join(', ')}.`,
    )
  }
  if (!allowsPrivateNetwork && leadsToPrivateNetwork(url)) {
    throw refusedError(
      `${url.host} is a private address; this task can only open public addresses.`,
    )
  }
  return url.href
}

const refusedError = (message: string) => new ServiceError('forbidden', message)
