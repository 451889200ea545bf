/**
 * The parties of a change: proposer, approvers and implementer are different people; where staff are
 * few, the proposer may implement it. Pure functions, because actors decide by them and pages derive
 * their buttons from them.
 */
import type { ChangeView } from './change.ts'
import { approvals } from '../grants/review-slots.ts'
import { staffingRules } from '../grants/staffing.ts'

export type ChangeParts = Pick<
  ChangeView,
  'proposedBy' | 'terms' | 'policy' | 'reviews' | 'implementer'
>

/** The assigned implementer and the actual one. */
export const implementersOf = ({ terms, implementer }: ChangeParts): readonly string[] =>
  [terms.implementerId, implementer?.id].filter((id) => id !== undefined)

/** People who must not approve the change: its proposer and its implementers. */
export const partiesOf = (change: ChangeParts): readonly string[] => [
  change.proposedBy.id,
  ...implementersOf(change),
]

const approverIds = (change: ChangeParts): readonly string[] =>
  approvals(change).map(({ reviewerId }) => reviewerId)

/**
 * People who must not implement the change. The proposer may implement a standard or an emergency
 * change, and any change where two people are enough: another one has approved it.
 */
export function barredImplementers(change: ChangeParts): readonly string[] {
  const approvers = approverIds(change)
  const isFree =
    change.terms.type !== 'normal' ||
    change.policy?.rules.includes(staffingRules.proposerImplements)
  return isFree ? approvers : [...approvers, change.proposedBy.id]
}

/** Everyone who took part in the change. */
export const participantsOf = (change: ChangeParts): readonly string[] => [
  ...partiesOf(change),
  ...approverIds(change),
]

/** A post-review must come from another person. */
export const isChangeParticipant = (change: ChangeParts, id: string): boolean =>
  participantsOf(change).includes(id)
