/** Who may give a review, and which of the frozen slots it fills. Pure. */
import type { Author } from '../../../proto/access/author.ts'
import type { GrantApprover } from '../../../proto/access/grants/grant.ts'
import { isAccessId, type PersonId } from '../../../proto/access/ids.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type { GivenReview, Review, SlotRole } from '../../../proto/access/grants/review.ts'
import {
  approvals,
  slotEligibility,
  openSlots,
  validReviews,
  type ReviewRound,
} from '../../../proto/access/grants/review-slots.ts'
import { ServiceError } from '../../../proto/errors.ts'

/** The reviewed entity. */
export interface ReviewSubject extends ReviewRound {
  /** Its name in messages, such as `request`. */
  readonly noun: string
  /** Ids of its parties, who must not decide on it. */
  readonly parties: readonly string[]
  /** The error text for a party. */
  readonly whyParty: string
}

/** A review to be added. */
export interface NewReview extends GivenReview {
  readonly by: Author
  readonly at: number
}

export const approversOf = (of: Pick<ReviewRound, 'reviews'>): readonly GrantApprover[] =>
  approvals(of).map(({ reviewerId, slot, atMs }) => ({ id: reviewerId, slot, atMs }))

const isParty = ({ parties }: ReviewSubject, { id }: Author): boolean => parties.includes(id)

/** The slot that a review by this author would fill. */
function slotFor(of: ReviewRound, by: Author): SlotRole | undefined {
  const open = openSlots(of)
  const fitting = open.find((role) => slotEligibility[role](by))
  return fitting ?? (by.singleOperator ? open[0] : undefined)
}

/** Throws unless this author may review the entity in the version with this digest. */
export function admitReview(
  of: ReviewSubject & { readonly version: number; readonly digest: string | null },
  { by, digest }: Pick<NewReview, 'by' | 'digest'>,
): void {
  checkReviewer(of, by)
  const { noun, reviews, version } = of
  const limit = limits.reviewsPerRequest
  if (reviews.length >= limit) {
    const message = `This ${noun} has had ${limit} reviews; create a new one.`
    throw new ServiceError('conflict', message, { limit })
  }
  // A decision applies only to exactly what was shown.
  if (digest === of.digest) return
  const message = `The ${noun} has changed since you read it; read it again, then decide.`
  throw new ServiceError('precondition_failed', message, { version })
}

function checkReviewer(of: ReviewSubject, by: Author): void {
  if (!isAccessId('person', by.id)) throw notReviewerError(of.noun)
  if (isParty(of, by) && !by.singleOperator) throw new ServiceError('self_review', of.whyParty)
  if (validReviews(of).some(({ reviewerId }) => reviewerId === by.id)) {
    throw new ServiceError('already_reviewed', `You have already reviewed this ${of.noun}.`)
  }
  if (slotFor(of, by) === undefined) throw notReviewerError(of.noun)
}

function notReviewerError(noun: string): ServiceError {
  const message = `This ${noun} does not need your review: its open reviews are for people with other roles.`
  return new ServiceError('not_a_reviewer', message)
}

/** Adds a review that `admitReview` has accepted. */
export function withReview(of: ReviewSubject, review: NewReview): readonly Review[] {
  const { by, reviewId, decision, reason, digest, at } = review
  const slot = slotFor(of, by)
  if (slot === undefined) return of.reviews
  const isAlone = isParty(of, by) || openSlots(of).length > 1 || !slotEligibility[slot](by)
  const marked = by.singleOperator && isAlone && ({ selfReviewed: true } as const)
  const reviewerId = personIdOf(of, by)
  return [
    ...of.reviews,
    { id: reviewId, reviewerId, slot, decision, reason, digest, atMs: at, ...marked },
  ]
}

/** Voided reviews remain visible but do not count. */
export const voidReviews = (reviews: readonly Review[]): readonly Review[] =>
  reviews.map((review) => ({ ...review, isVoid: true }))

function personIdOf({ noun }: ReviewSubject, { id }: Author): PersonId {
  if (isAccessId('person', id)) return id
  throw notReviewerError(noun)
}
