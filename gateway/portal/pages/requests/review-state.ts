/**
 * Whether a request waits for a person's review, and if not, why. Pages use this to offer a review;
 * the request's actor decides.
 */
import type { PersonView } from '../../../../proto/access/people/person.ts'
import { requestPartiesOf, type RequestView } from '../../../../proto/access/grants/request.ts'
import {
  decidersOf,
  slotEligibility,
  openSlots,
  validReviews,
} from '../../../../proto/access/grants/review-slots.ts'
import { whyDependent } from '../../../access/people/second-person.ts'
import type { Visit } from '../../visit.ts'

export type ReviewState =
  | { readonly kind: 'waits for you' }
  | { readonly kind: 'not for you'; readonly why: string }
  | { readonly kind: 'decided' }

const isRequestParty = (request: RequestView, { id }: PersonView): boolean =>
  requestPartiesOf(request).includes(id)

export function reviewStateOf(visit: Visit, request: RequestView): ReviewState {
  if (request.status !== 'pending') return { kind: 'decided' }
  const { person, deps } = visit
  if (isRequestParty(request, person) && !deps.singleOperator) {
    const why = 'You requested this access or would receive it, so another person must review it.'
    return { kind: 'not for you', why }
  }
  if (validReviews(request).some(({ reviewerId }) => reviewerId === person.id)) {
    return { kind: 'not for you', why: 'You have already reviewed this request.' }
  }
  if (!deps.singleOperator && !visit.isIndependentOf(decidersOf(request))) {
    return { kind: 'not for you', why: whyDependent }
  }
  const open = openSlots(request)
  if (deps.singleOperator || open.some((role) => slotEligibility[role](person))) {
    return { kind: 'waits for you' }
  }
  return { kind: 'not for you', why: 'It needs a review by people with another role.' }
}

export const requestsToReview = (visit: Visit): readonly RequestView[] =>
  visit.list('request').filter((one) => reviewStateOf(visit, one).kind === 'waits for you')
