import ipaddr from 'ipaddr.js'

/** The address truncated for the audit, as in `192.0.2.0/24` or `2001:db8:1::/48`. */
export function networkPrefixOf(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  const bits = parsed.kind() === 'ipv4' ? 24 : 48
  const bytes = parsed.toByteArray().map((byte, i) => (i < bits / 8 ? byte : 0))
  return `${ipaddr.fromByteArray(bytes).toString()}/${bits}`
}
