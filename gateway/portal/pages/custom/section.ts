/** Custom access: views that changes have made, for people who may see their records. */
import { everywhere, type Section } from '../../page.ts'
import { showViews } from './list.tsx'
import { showView } from './view.tsx'

export const custom: Section = {
  group: 'Work',
  nav: [{ label: 'Custom views', path: '/custom', in: everywhere }],
  pages: [
    { path: '/custom', in: everywhere, show: showViews },
    { path: '/custom/{id}', in: everywhere, show: showView },
  ],
}
