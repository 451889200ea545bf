/** Access requests and their reviews. */
import { bothSurfaces, type PortalSection } from '../../page.ts'
import { onlyRoles } from '../../../routing/auth/access-rule.ts'
import { showRequests, showReviews } from './lists.tsx'
import { giveReview } from './review.tsx'
import { showRequest, submitRequest, withdrawRequest } from './request.tsx'
import { requestsToReview } from './review-state.ts'

export const requestsSection: PortalSection = {
  group: 'Access',
  nav: [
    {
      ...{ label: 'Reviews', path: '/reviews', in: bothSurfaces },
      who: onlyRoles('reviewer', 'owner'),
      count: (visit) => requestsToReview(visit).length,
    },
    { label: 'Requests', path: '/requests', in: bothSurfaces },
  ],
  pages: [
    { path: '/reviews', in: bothSurfaces, who: onlyRoles('reviewer', 'owner'), show: showReviews },
    { path: '/requests', in: bothSurfaces, show: showRequests },
    { path: '/requests/{id}', in: bothSurfaces, show: showRequest },
    {
      ...{ path: '/requests/{id}/submit', in: bothSurfaces },
      ...{ submit: submitRequest, again: showRequest },
    },
    {
      ...{ path: '/requests/{id}/withdraw', in: bothSurfaces },
      ...{ submit: withdrawRequest, again: showRequest },
    },
    {
      ...{ path: '/requests/{id}/reviews', in: bothSurfaces },
      ...{ submit: giveReview, again: showRequest },
    },
  ],
}
