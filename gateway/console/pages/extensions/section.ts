/** Extensions of Chromium that sessions can have. */
import type { ConsoleSection } from '../../page.ts'
import type { ConsoleVisit } from '../../visit.ts'
import { deleteExtension, showExtensions } from './extensions-page.tsx'

const back = (visit: ConsoleVisit) => ({ to: visit.at('/extensions') })
const scope = 'sessions'

export const extensionsSection: ConsoleSection = {
  nav: [{ label: 'Extensions', path: '/extensions', scope }],
  pages: [
    { path: '/extensions', scope, show: showExtensions },
    {
      path: '/extensions/{id}/delete',
      scope,
      show: back,
      submit: deleteExtension,
      again: showExtensions,
    },
  ],
}
