/** Access requests and their reviews. */
import { everywhere, type Section } from '../../page.ts'
import { only } from '../../../access/rule.ts'
import { showRequests, showReviews } from './lists.tsx'
import { giveReview } from './review.tsx'
import { showRequest, submitRequest, withdrawRequest } from './request.tsx'
import { waiting } from './standing.ts'

export const requests: Section = {
  group: 'Access',
  nav: [
    {
      ...{ label: 'Reviews', path: '/reviews', in: everywhere },
      who: only('reviewer', 'owner'),
      count: (visit) => waiting(visit).length,
    },
    { label: 'Requests', path: '/requests', in: everywhere },
  ],
  pages: [
    { path: '/reviews', in: everywhere, who: only('reviewer', 'owner'), show: showReviews },
    { path: '/requests', in: everywhere, show: showRequests },
    { path: '/requests/{id}', in: everywhere, show: showRequest },
    {
      ...{ path: '/requests/{id}/submit', in: everywhere },
      ...{ submit: submitRequest, again: showRequest },
    },
    {
      ...{ path: '/requests/{id}/withdraw', in: everywhere },
      ...{ submit: withdrawRequest, again: showRequest },
    },
    {
      ...{ path: '/requests/{id}/reviews', in: everywhere },
      ...{ submit: giveReview, again: showRequest },
    },
  ],
}
