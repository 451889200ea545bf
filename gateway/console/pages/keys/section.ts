/** Keys: who may use the service, with which scopes, and until when. */
import { forOperators } from '../../html/operators-only.tsx'
import type { ConsoleSection } from '../../page.ts'
import { feedKeys, revokeFromPage, showKeys } from './key-page.tsx'
import { makeKeyFromPage, newKeyPage } from './new-key.tsx'

export const keysSection: ConsoleSection = {
  nav: [{ label: 'Keys', path: '/keys' }],
  forms: [{ label: 'New key', path: '/keys/new', scope: 'admin' }],
  pages: [
    { path: '/keys', show: showKeys },
    { path: '/keys/feed', scope: 'admin', show: feedKeys },
    {
      path: '/keys/new',
      show: forOperators('New key', newKeyPage),
      submit: makeKeyFromPage,
      again: forOperators('New key', newKeyPage),
    },
    {
      path: '/keys/{key}/revoke',
      scope: 'admin',
      show: (visit) => ({ to: visit.at('/keys') }),
      submit: revokeFromPage,
      again: showKeys,
    },
  ],
}
