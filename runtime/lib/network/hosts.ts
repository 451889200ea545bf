/**
 * Hosts of URLs: their canonical form, and whether they belong to the public internet. Everything
 * that is not clearly public counts as private, and so do the addresses of this machine.
 */
import ipaddr from 'ipaddr.js'
import { ownAddresses } from './own-addresses.ts'

/** Names that public name servers do not resolve, or that home networks use. */
const privateNames =
  /^(localhost|local|internal|intranet|private|corp|home|lan|localdomain|test|invalid|onion|home\.arpa)$/

/**
 * In the form of WHATWG parsers (lower case, punycode, all notations of IPv4 dotted), without the
 * trailing dot and without the brackets of IPv6.
 */
export function canonicalHost(hostname: string): string {
  const bare = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  return bare.includes(':') ? bare : bare.replace(/\.+$/, '')
}

/** The port that a URL leads to: that of its scheme unless it names one. */
export const portOfUrl = ({ port, protocol }: Pick<URL, 'port' | 'protocol'>): number =>
  Number(port) || (protocol === 'https:' || protocol === 'wss:' ? 443 : 80)

/** Parses a host with an optional port; undefined if no browser could go there. */
export function hostOf(
  authority: string,
): { readonly host: string; readonly port: string } | undefined {
  const text = `ws://${authority}`
  if (!URL.canParse(text)) return undefined
  const { hostname, port } = new URL(text)
  return { host: canonicalHost(hostname), port }
}

/** Undefined if it is a name. */
export function isPrivateAddress(host: string): boolean | undefined {
  const bare = canonicalHost(host)
  if (!ipaddr.isValid(bare)) return undefined
  // IPv4-mapped IPv6 addresses are judged as IPv4. Those that lead to IPv4 through a gateway are
  // not plain public addresses either.
  const address = ipaddr.process(bare)
  // All assigned IPv6 addresses are in 2000::/3; `::127.0.0.1` is not.
  const isGivenOut = address.kind() === 'ipv4' || /^[23]...:/.test(address.toNormalizedString())
  return !isGivenOut || address.range() !== 'unicast' || ownAddresses.has(address)
}

/** Judged by the name alone; the resolved address has to be checked separately. */
export function isPrivateHost(host: string): boolean {
  const bare = canonicalHost(host)
  const address = isPrivateAddress(bare)
  if (address !== undefined) return address
  const labels = bare.split('.')
  // A name of one label is completed by the machine's search list.
  if (labels.length === 1) return true
  return privateNames.test(labels.at(-1)!) || privateNames.test(labels.slice(-2).join('.'))
}

/**
 * Always this machine, as in browsers (RFC 6761). Resolvers need not know it: a minimal Debian has
 * no /etc/hosts, and name servers rarely know the names below it.
 */
export const isLocalhost = (name: string): boolean => /(^|\.)localhost$/.test(name)

/** The addresses of `localhost` and the names below it. */
export const localhostAddresses: readonly { readonly address: string; readonly family: number }[] =
  [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]

/** A name or an address of this machine, in the notation of a Host header, a URL or a setting. */
export function isLoopback(name: string): boolean {
  return (
    isLocalhost(name) ||
    name === '::1' ||
    name === '[::1]' ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name)
  )
}
