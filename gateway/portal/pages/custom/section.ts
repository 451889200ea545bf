/** Custom access: views that changes have made, for people who may see their records. */
import { bothSurfaces, type PortalSection } from '../../page.ts'
import { showViews } from './list.tsx'
import { showView } from './view.tsx'

export const customSection: PortalSection = {
  group: 'Work',
  nav: [{ label: 'Custom views', path: '/custom', in: bothSurfaces }],
  pages: [
    { path: '/custom', in: bothSurfaces, show: showViews },
    { path: '/custom/{id}', in: bothSurfaces, show: showView },
  ],
}
