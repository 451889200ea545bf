/** The parties of a change, for its actor: see `proto/access/changes/change-parties.ts`. Pure. */
import * as parts from '../../../proto/access/changes/change-parties.ts'
import type { Author } from '../../../proto/access/author.ts'
import type { ReviewSubject } from '../common/reviews.ts'
import type { ChangeContext } from './context.ts'

type Change = Pick<ChangeContext, 'createdBy' | 'terms' | 'policy' | 'reviews' | 'implementer'>

const partsOf = (change: Change): parts.ChangeParts => ({
  ...change,
  proposedBy: change.createdBy,
})

export const changeReviewSubject = (change: Change): ReviewSubject => ({
  noun: 'change',
  parties: parts.partiesOf(partsOf(change)),
  whyParty: 'You are the proposer or implementer of this change; another person must review it.',
  policy: change.policy,
  reviews: change.reviews,
})

export const barredFromImplementing = (change: Change): readonly string[] =>
  parts.barredImplementers(partsOf(change))

export const participatedInChange = (change: Change, { id }: Author): boolean =>
  parts.isChangeParticipant(partsOf(change), id)
