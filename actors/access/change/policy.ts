/**
 * Who must approve a change. Pure. All matching rules apply; for each role, the highest number of
 * required approvals counts. The result is frozen into the change when it is proposed.
 */
import { staffingRules, type Staffing } from '../../../proto/access/grants/staffing.ts'
import type { ChangeTerms } from '../../../proto/access/changes/change-terms.ts'
import type { FrozenPolicy, SlotRole } from '../../../proto/access/grants/review.ts'
import { fittedPolicy } from '../common/staffing.ts'

interface Rule {
  readonly name: string
  readonly matches: (terms: ChangeTerms) => boolean
  readonly slots: Partial<Readonly<Record<SlotRole, number>>>
}

const rules: readonly Rule[] = [
  { name: 'C1', matches: () => true, slots: { change_manager: 1 } },
  { name: 'C2', matches: ({ clientVisible }) => clientVisible, slots: { client_owner: 1 } },
  { name: 'C3', matches: ({ risk }) => risk === 'high', slots: { change_manager: 2 } },
  { name: 'C4', matches: ({ kind }) => kind === 'custom_access', slots: { client_owner: 1 } },
]

/** An emergency cannot wait for a second person; it is reviewed afterwards instead. */
const emergency: FrozenPolicy = {
  rules: ['C1', 'C5'],
  slots: [{ role: 'change_manager', count: 1 }],
}
/** Its template was approved once for all changes. */
const standard: FrozenPolicy = { rules: ['C6'], slots: [] }

/** Where staff are few, a change by its proposer takes the approval of another person. */
export function changePolicy(
  terms: ChangeTerms,
  staffing: Staffing | undefined,
  parties: readonly string[],
): FrozenPolicy {
  const { rules, slots } = fittedPolicy(requiredPolicy(terms), staffing, parties)
  const { proposerImplements } = staffingRules
  const isFree = staffing !== undefined && terms.type === 'normal'
  return { rules: isFree ? [...rules, proposerImplements] : rules, slots }
}

function requiredPolicy(terms: ChangeTerms): FrozenPolicy {
  if (terms.type === 'standard') return standard
  if (terms.type === 'emergency') return emergency
  const matching = rules.filter(({ matches }) => matches(terms))
  const most = (role: SlotRole) => Math.max(0, ...matching.map(({ slots }) => slots[role] ?? 0))
  const roles: readonly SlotRole[] = ['change_manager', 'client_owner']
  return {
    rules: matching.map(({ name }) => name),
    slots: roles.map((role) => ({ role, count: most(role) })).filter(({ count }) => count > 0),
  }
}
