/** The review of an emergency change after it was completed. Pure. */
import type { Author } from '../../../proto/access/author.ts'
import { isAccessId } from '../../../proto/access/ids.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { participatedInChange } from './parties.ts'
import type { ChangeContext } from './context.ts'

type After = Pick<ChangeContext, 'postReview' | 'deadlines'>

export const postReviewDue = (
  { terms }: Pick<ChangeContext, 'terms'>,
  at: number,
): ChangeContext['postReview'] =>
  terms.type === 'emergency' ? { byMs: at + limits.postReviewMs, status: 'due' } : null

export function afterPostReview(change: ChangeContext, by: Author): Partial<After> {
  const { postReview } = change
  if (!postReview) return {}
  return {
    postReview: {
      ...postReview,
      status: 'done',
      ...(isAccessId('person', by.id) && { reviewerId: by.id }),
      ...(participatedInChange(change, by) && { selfReviewed: true as const }),
    },
    deadlines: {},
  }
}

export const afterMissedReview = ({ postReview }: ChangeContext): After => ({
  postReview: postReview && { ...postReview, status: 'missed' },
  deadlines: {},
})
