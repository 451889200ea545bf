/**
 * The review slots of a frozen policy: which are still open, and whose reviews fill the others.
 * Actors decide by it, and pages derive their buttons from it.
 */
import { hasRole, type Author } from '../author.ts'
import type { FrozenPolicy, Review, SlotRole } from './review.ts'

export interface ReviewRound {
  readonly policy: FrozenPolicy | null
  readonly reviews: readonly Review[]
}

type Role = (by: Pick<Author, 'kind' | 'roles'>) => boolean

export const slotEligibility: Readonly<Record<SlotRole, Role>> = {
  staff_reviewer: (by) => by.kind === 'staff' && hasRole(by, 'reviewer'),
  change_manager: (by) => by.kind === 'staff' && hasRole(by, 'change_manager'),
  client_owner: (by) => by.kind === 'member' && hasRole(by, 'owner'),
}

/** Reviews of the current version; those of earlier versions are void. */
export const validReviews = ({ reviews }: Pick<ReviewRound, 'reviews'>): readonly Review[] =>
  reviews.filter(({ isVoid }) => !isVoid)

export const approvals = (of: Pick<ReviewRound, 'reviews'>): readonly Review[] =>
  validReviews(of).filter(({ decision }) => decision === 'approve')

/** The requester and those who have approved: a further reviewer is independent of them. */
export const decidersOf = ({
  requestedBy,
  reviews,
}: Pick<ReviewRound, 'reviews'> & { readonly requestedBy: Author }): readonly string[] => [
  requestedBy.id,
  ...approvals({ reviews }).map(({ reviewerId }) => reviewerId),
]

/** The role of each open slot, one for each missing review. */
export function openSlots({ policy, reviews }: ReviewRound): readonly SlotRole[] {
  const given = approvals({ reviews })
  // A sole operator's approval fills every slot, because there is no second person.
  if (given.some(({ selfReviewed }) => selfReviewed)) return []
  return (policy?.slots ?? []).flatMap(({ role, count }) => {
    const filled = given.filter(({ slot }) => slot === role).length
    return Array.from({ length: Math.max(0, count - filled) }, () => role)
  })
}
