/**
 * Which addresses belong to the public internet. All others lead to machines of somebody's own, and
 * are reached on behalf of a tenant only where the operator allows it.
 */
import ipaddr from 'ipaddr.js'

/** Names that resolve on this machine or in its network alone, whatever a resolver says. */
const ownName = /(^|\.)(localhost|local|internal|intranet|home\.arpa|lan)$/

/**
 * True for a textual IP address that is routed in public. One that wraps another (IPv4 in IPv6) is
 * judged by what is inside; tunnels (6to4, Teredo, NAT64) count as private.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  return ipaddr.process(address).range() === 'unicast'
}

/**
 * True for the `hostname` of a URL that is certain not to be public: an address of a private range,
 * a name of one's own network. A name that is not may still resolve to a private address, so
 * whoever connects has to look again.
 */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
  if (ipaddr.isValid(host)) return !isPublicAddress(host)
  return !host.includes('.') || ownName.test(host)
}

/** A name or an address of this machine, as a Host, a URL or a setting has it. */
export function isLoopback(name: string): boolean {
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '::1' ||
    name === '[::1]' ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name)
  )
}
