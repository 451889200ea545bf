/** Asking for access in four steps: need, areas, duration, and checking the draft. */
import { everywhere, type Section } from '../../page.ts'
import { showAreas } from './areas.tsx'
import { showNeed } from './need.tsx'
import { showTime, submitTime } from './time.tsx'

export const ask: Section = {
  group: 'Access',
  nav: [{ label: 'Ask for access', path: '/ask', in: everywhere }],
  pages: [
    { path: '/ask', in: everywhere, show: showNeed },
    { path: '/ask/areas', in: everywhere, show: showAreas },
    { path: '/ask/time', in: everywhere, show: showTime, submit: submitTime },
  ],
}
