/**
 * Required approvals where there are few people. Two different people decide, not three: whoever
 * proposes and one who approves; and the owner of the client fills what staff cannot. Pure.
 */
import type { FrozenPolicy, SlotRole } from './review.ts'

/**
 * Who is there when something is submitted; sent by the gateway, which knows all people, and only
 * where separation is small.
 */
export interface Staffing {
  /** For each role, those who are independent of the person who submits. */
  readonly free: Readonly<Partial<Record<SlotRole, readonly string[]>>>
  /** All owners of the client, also those who are not independent. */
  readonly owners: readonly string[]
  /** Pairs among `free` who must not decide on the same thing. */
  readonly dependent: readonly (readonly [string, string])[]
  /** Those who could implement the change; absent for a request. */
  readonly implementers?: readonly string[]
}

/** Names of rules, which reviewers sign like those of the policy. */
export const staffingRules = {
  /** An owner of the client fills what staff cannot, or two people are enough. */
  fewReviewers: 'F1',
  /** The proposer of a change may implement it. */
  proposerImplements: 'F2',
} as const

/** Bounds the search; small staff has far fewer. */
const candidatesMost = 24

interface Wanted {
  readonly staff: number
  readonly owners: number
}

/**
 * The slots that these people can fill, closest to the required ones. An approval that a rule asks
 * of an owner is never dropped, and at least one person other than `parties` approves. The given
 * slots themselves if all of them can be filled, or if nobody can.
 */
export function fitSlots(
  slots: FrozenPolicy['slots'],
  staffing: Staffing,
  parties: readonly string[],
): FrozenPolicy['slots'] {
  const count = (role: SlotRole) => slots.find((slot) => slot.role === role)?.count ?? 0
  const staffRole = slots.find(({ role }) => role !== 'client_owner')?.role ?? 'staff_reviewer'
  const [required, owners] = [count(staffRole), count('client_owner')]
  const others = staffing.owners.filter((id) => !parties.includes(id)).length
  const free = (role: SlotRole) =>
    (staffing.free[role] ?? []).filter((id) => !parties.includes(id)).slice(0, candidatesMost)
  const pools = { staff: free(staffRole), owners: free('client_owner') }
  for (let staff = required; staff >= 0; staff--) {
    const filled = Math.min(required - staff, Math.max(0, others - owners))
    const wanted = { staff, owners: owners + filled }
    if (wanted.staff + wanted.owners === 0 || !hasTeam(pools, wanted, staffing)) continue
    if (staff === required) return slots
    const fitted: FrozenPolicy['slots'] = [
      { role: staffRole, count: wanted.staff },
      { role: 'client_owner', count: wanted.owners },
    ]
    return fitted.filter((slot) => slot.count > 0)
  }
  return slots
}

type Pools = Readonly<Record<keyof Wanted, readonly string[]>>

/** Whether so many of them are independent of each other and leave someone to implement it. */
function hasTeam(
  pools: Pools,
  wanted: Wanted,
  staffing: Staffing,
  team: readonly string[] = [],
): boolean {
  const from = wanted.staff > 0 ? 'staff' : 'owners'
  if (wanted[from] === 0) {
    return staffing.implementers?.some((id) => !team.includes(id)) ?? true
  }
  return pools[from].some((id, i) => {
    if (team.some((one) => isDependent(staffing, id, one))) return false
    const rest = { ...pools, [from]: pools[from].slice(i + 1) }
    return hasTeam(rest, { ...wanted, [from]: wanted[from] - 1 }, staffing, [...team, id])
  })
}

const isDependent = ({ dependent }: Staffing, one: string, other: string): boolean =>
  dependent.some((pair) => pair.includes(one) && pair.includes(other))
