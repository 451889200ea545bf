/** Asking for access in four steps: need, areas, duration, and checking the draft. */
import { bothSurfaces, type PortalSection } from '../../page.ts'
import { showAreas } from './areas.tsx'
import { showNeed } from './need.tsx'
import { showTime, submitTime } from './time.tsx'

export const askSection: PortalSection = {
  group: 'Access',
  nav: [{ label: 'Request access', path: '/ask', in: bothSurfaces }],
  pages: [
    { path: '/ask', in: bothSurfaces, show: showNeed },
    { path: '/ask/areas', in: bothSurfaces, show: showAreas },
    { path: '/ask/time', in: bothSurfaces, show: showTime, submit: submitTime },
  ],
}
