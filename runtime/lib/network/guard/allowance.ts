/**
 * Destinations that the operator opens for untrusted URLs beside the public internet; by default
 * none.
 */
import ipaddr from 'ipaddr.js'
import { isPrivateAddress } from '../hosts.ts'

export interface Allowance {
  /** Private hosts in the syntax of `allowed_domains`. */
  readonly hosts: readonly string[]
  /** CIDR ranges that count as public. */
  readonly ranges: readonly string[]
  /** The service's own ports: on addresses that are not public, untrusted URLs never reach them. */
  readonly closedPorts: readonly number[]
}

export const publicOnly: Allowance = { hosts: [], ranges: [], closedPorts: [] }

/** For the operator's own URLs, and where private networks are intended. */
export const anyAddress: Allowance = { ...publicOnly, ranges: ['0.0.0.0/0', '::/0'] }

export const allowedHosts = (hosts: readonly string[]): Allowance => ({ ...publicOnly, hosts })

export const isCidr = (text: string): boolean => ipaddr.isValidCIDR(text)

/** The same for a port: the service's own ports are closed, except on the internet. */
export const isOpenAt = (address: string, port: number, allowance: Allowance): boolean =>
  isOpenAddress(address, allowance) &&
  (!allowance.closedPorts.includes(port) || isPrivateAddress(address) === false)

/** `address`: in plain form, as a resolver or a socket returns it. */
export function isOpenAddress(address: string, { ranges }: Allowance): boolean {
  const isPrivate = isPrivateAddress(address)
  if (isPrivate !== true) return isPrivate === false
  const parsed = ipaddr.process(address.replace(/^\[|\]$/g, ''))
  return ranges.some((range) => {
    const [base, bits] = ipaddr.parseCIDR(range)
    return parsed.kind() === base.kind() && parsed.match(base, bits)
  })
}
