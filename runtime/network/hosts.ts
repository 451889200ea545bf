/**
 * What a host of an address is: one spelling for each, and whether it is of the open internet.
 * Everything that is not plainly public counts as private.
 */
import ipaddr from 'ipaddr.js'

/** Never looked up by anybody's public name server, or answered by machines at home. */
const privateNames =
  /^(localhost|local|internal|intranet|private|corp|home|lan|localdomain|test|invalid|onion|home\.arpa)$/

/**
 * As WHATWG parsers leave it (lower case, punycode, numbers in whatever base made dotted ones),
 * without the dot of the root and without the brackets of IPv6.
 */
export function canonicalHost(hostname: string): string {
  const bare = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  return bare.includes(':') ? bare : bare.replace(/\.+$/, '')
}

/** Of a text with a host and perhaps a port; undefined when no browser could go there. */
export function hostOf(
  authority: string,
): { readonly host: string; readonly port: string } | undefined {
  const text = `ws://${authority}`
  if (!URL.canParse(text)) return undefined
  const { hostname, port } = new URL(text)
  return { host: canonicalHost(hostname), port }
}

/** Undefined for a name. */
export function isPrivateAddress(host: string): boolean | undefined {
  const bare = canonicalHost(host)
  if (!ipaddr.isValid(bare)) return undefined
  // An IPv4 address in the clothes of an IPv6 one is judged as what it is; those that lead to one
  // through a gateway of somebody's are no plain addresses of the internet either.
  const address = ipaddr.process(bare)
  // All that is given out of IPv6 is in 2000::/3; `::127.0.0.1` is not.
  const isGivenOut = address.kind() === 'ipv4' || /^[23]...:/.test(address.toNormalizedString())
  return !isGivenOut || address.range() !== 'unicast'
}

/** Told from the name alone: where it leads is for whoever looks it up. */
export function isPrivateHost(host: string): boolean {
  const bare = canonicalHost(host)
  const address = isPrivateAddress(bare)
  if (address !== undefined) return address
  const labels = bare.split('.')
  // A name of one label is completed by the search list of the machine.
  if (labels.length === 1) return true
  return privateNames.test(labels.at(-1)!) || privateNames.test(labels.slice(-2).join('.'))
}

/**
 * Always this machine's own name, as browsers have it (RFC 6761). Resolvers need not know it: a
 * minimal Debian has no /etc/hosts, and name servers rarely know the names below it.
 */
export const isLocalhost = (name: string): boolean => /(^|\.)localhost$/.test(name)

/** What `localhost` and the names below it resolve to. */
export const localhostAddresses: readonly { readonly address: string; readonly family: number }[] =
  [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]

/** A name or an address of this machine, as a Host, a URL or a setting has it. */
export function isLoopback(name: string): boolean {
  return (
    isLocalhost(name) ||
    name === '::1' ||
    name === '[::1]' ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name)
  )
}
