/**
 * Whether two people can decide on each other's work. Who invites a person, resets their sign-in or
 * gives them a role that decides could act as them, or through them: for a while, the two are not
 * independent of each other. Pure; gateways and pages decide by it.
 */
import { accessLimits as limits } from '../limits.ts'
import type { PersonView, Voucher } from './person.ts'

export type PersonOf = (id: string) => Pick<PersonView, 'vouchers'> | undefined

/** Everyone who could act as this person, and the person. */
function reachOf(
  id: string,
  { personOf, nowMs }: Known,
  counts: (voucher: Voucher) => boolean,
): ReadonlySet<string> {
  const reach = new Set([id])
  // The set grows while it is read: those who vouched for one who vouched count too.
  for (const one of reach) {
    for (const voucher of personOf(one)?.vouchers ?? []) {
      if (isRecent(voucher, nowMs) && counts(voucher)) reach.add(voucher.by)
    }
  }
  return reach
}

export const isRecent = ({ atMs }: Voucher, nowMs: number): boolean =>
  nowMs - atMs < limits.vouchedMs

/**
 * Someone else may have signed in as the person, so that what a person agrees to about themselves
 * is not enough.
 */
export const wasReset = ({ vouchers = [] }: Pick<PersonView, 'vouchers'>, nowMs: number): boolean =>
  vouchers.some((one) => one.what === 'reset' && isRecent(one, nowMs))

export interface Known {
  readonly personOf: PersonOf
  readonly nowMs: number
}

/**
 * False if one of them could act as the other. Also false if a third person could act as both,
 * unless another admin has confirmed that they are who they are said to be.
 */
export function areIndependent(one: string, other: string, known: Known): boolean {
  const all = () => true
  if (reachOf(one, known, all).has(other) || reachOf(other, known, all).has(one)) return false
  const unconfirmed = ({ confirmedBy }: Voucher) => confirmedBy === undefined
  const [ones, others] = [reachOf(one, known, unconfirmed), reachOf(other, known, unconfirmed)]
  return ![...ones].some((id) => others.has(id))
}
