/** Records of the areas, as far as portal grants show them. */
import { Groups } from './groups.tsx'
import { ButtonLink } from '../../html/parts.tsx'
import { everywhere, type Section, type Shown } from '../../page.ts'
import type { Visit } from '../../visit.ts'
import { showList } from './list.tsx'
import { showRecord } from './record.tsx'
import { removeView, saveView } from './saved-views.tsx'

export const records: Section = {
  group: '',
  nav: [{ label: 'Records', path: '/records', in: everywhere }],
  pages: [
    { path: '/records', in: everywhere, show },
    { path: '/records/{area}', in: everywhere, show: showList },
    { path: '/records/{area}/{id}', in: everywhere, show: showRecord },
    { path: '/records/{area}/views', in: everywhere, submit: saveView, again: showList },
    {
      path: '/records/{area}/views/{id}/remove',
      in: everywhere,
      submit: removeView,
      again: showList,
    },
  ],
}

function show(visit: Visit): Shown {
  return {
    title: 'Records',
    lead: 'Sixteen areas in four groups. You see what a grant of yours for the portal includes.',
    actions: (
      <ButtonLink href={visit.at('/ask')} kind="main">
        Ask for access
      </ButtonLink>
    ),
    body: <Groups visit={visit} isTop />,
  }
}
