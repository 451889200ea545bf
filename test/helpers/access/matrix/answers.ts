/** Rows of the access matrix: which principals are admitted, and the answers to the others. */
import { principals, type Principal } from './principals.ts'
import type { AccessWorld } from '../world.ts'

/** A status, or `in`: the principal gets as far as the record, so neither 401 nor 403 nor 5xx. */
export type Expected = number | 'in'
export type Answers = Readonly<Record<Principal, Expected>>

export interface Row {
  readonly answers: Answers
  /** Replaces `{id}`. */
  readonly id?: (world: AccessWorld) => string
  readonly body?: (world: AccessWorld, principal: Principal) => unknown
}

export const people = [
  ...(['operator without a grant', 'member', 'owner', 'owner of another client'] as const),
  ...(['admin', 'reviewer'] as const),
]
export type Person = (typeof people)[number]
export const staff = ['operator without a grant', 'admin', 'reviewer'] as const

/** Tokens may use records only; governance is for people. */
const tokensOut = {
  nobody: 401,
  'token of another client': 403,
  'token for another area': 403,
  'token to read contacts': 403,
  'token for everything': 403,
  'token of a grant that ended': 401,
  'token of a suspended client': 403,
  'key of Surface B': 401,
} as const

/** These people get this answer; the others are refused because of their role. */
export function only(
  admitted: readonly Person[],
  status: Expected,
  more: Partial<Answers> = {},
): Answers {
  const statusOf = (person: Person) => (admitted.includes(person) ? status : 403)
  return {
    ...tokensOut,
    'operator without a grant': statusOf('operator without a grant'),
    member: statusOf('member'),
    owner: statusOf('owner'),
    'owner of another client': statusOf('owner of another client'),
    admin: statusOf('admin'),
    reviewer: statusOf('reviewer'),
    ...more,
  }
}

export const foreign = { 'owner of another client': 404 } as const
export const owners = ['owner', 'owner of another client'] as const
export const keepers = ['operator without a grant', 'admin', 'reviewer', ...owners] as const
/** Every principal gets this status, because the route asks for no role. */
export const everybody = (status: number): Answers => {
  const answers = principals.map((principal) => [principal, status] as const)
  return Object.fromEntries(answers) as Record<Principal, number>
}
