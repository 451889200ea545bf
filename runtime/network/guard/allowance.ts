/** What an operator lets strangers' addresses lead to besides the public internet: nothing, unless told. */
import ipaddr from 'ipaddr.js'
import { isPrivateAddress } from '../hosts.ts'

export interface Allowance {
  /** Private hosts, written as `allowed_domains` are. */
  readonly hosts: readonly string[]
  /** CIDR ranges that count as public. */
  readonly ranges: readonly string[]
  /** Of the service itself, on addresses that are not public: nothing of a stranger's leads there. */
  readonly closedPorts: readonly number[]
}

export const onlyPublic: Allowance = { hosts: [], ranges: [], closedPorts: [] }

/** Of the operator itself, and where private networks are what is wanted. */
export const anywhere: Allowance = { ...onlyPublic, ranges: ['0.0.0.0/0', '::/0'] }

export const allowedHosts = (hosts: readonly string[]): Allowance => ({ ...onlyPublic, hosts })

export const isCidr = (text: string): boolean => ipaddr.isValidCIDR(text)

/** The same for a port of it: those of the service itself are closed, but on the internet. */
export const isOpenAt = (address: string, port: number, allowance: Allowance): boolean =>
  isOpenAddress(address, allowance) &&
  (!allowance.closedPorts.includes(port) || isPrivateAddress(address) === false)

/** `address`: a plain one, as a resolver or a socket has it. */
export function isOpenAddress(address: string, { ranges }: Allowance): boolean {
  const isPrivate = isPrivateAddress(address)
  if (isPrivate !== true) return isPrivate === false
  const parsed = ipaddr.process(address.replace(/^\[|\]$/g, ''))
  return ranges.some((range) => {
    const [base, bits] = ipaddr.parseCIDR(range)
    return parsed.kind() === base.kind() && parsed.match(base, bits)
  })
}
