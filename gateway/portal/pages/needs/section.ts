/** Operational needs: the purposes of access, and their ends. */
import { bothSurfaces, type PortalSection } from '../../page.ts'
import { showNeeds } from './list.tsx'
import { closeNeed, extendNeed, showNeed } from './need.tsx'
import { openNeed, showNewNeed } from './new.tsx'

export const needsSection: PortalSection = {
  group: 'Access',
  nav: [{ label: 'Needs', path: '/needs', in: bothSurfaces }],
  pages: [
    { path: '/needs', in: bothSurfaces, show: showNeeds },
    { path: '/needs/new', in: bothSurfaces, show: showNewNeed, submit: openNeed },
    { path: '/needs/{id}', in: bothSurfaces, show: showNeed },
    { path: '/needs/{id}/extend', in: bothSurfaces, submit: extendNeed, again: showNeed },
    { path: '/needs/{id}/close', in: bothSurfaces, submit: closeNeed, again: showNeed },
  ],
}
