/**
 * Who has which part in a change: proposer, approvers and implementer are different people. Pure:
 * actors decide by it, and pages offer by it.
 */
import type { ChangeView } from './change.ts'
import { approvals } from './review-slots.ts'

export type ChangeParts = Pick<ChangeView, 'proposedBy' | 'terms' | 'reviews' | 'implementer'>

/** Who is to do it, and who does. */
export const implementersOf = ({ terms, implementer }: ChangeParts): readonly string[] =>
  [terms.implementerId, implementer?.id].filter((id) => id !== undefined)

/** Whoever proposes it, or is to do it, does not approve it. */
export const partiesOf = (change: ChangeParts): readonly string[] => [
  change.proposedBy.id,
  ...implementersOf(change),
]

const approverIds = (change: ChangeParts): readonly string[] =>
  approvals(change).map(({ reviewerId }) => reviewerId)

/** Who may not do it: a standard or an emergency change may be done by its proposer. */
export function othersToDo(change: ChangeParts): readonly string[] {
  const approvers = approverIds(change)
  return change.terms.type === 'normal' ? [...approvers, change.proposedBy.id] : approvers
}

/** A second look is another person's. */
export const hadPart = (change: ChangeParts, id: string): boolean =>
  [...partiesOf(change), ...approverIds(change)].includes(id)
