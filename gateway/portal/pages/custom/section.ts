/** Custom access: the views that changes have made, for those who may see what they show. */
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
