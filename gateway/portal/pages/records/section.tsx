/** Records of the areas, as far as portal grants show them. */
import { AreaGroups } from './groups.tsx'
import { ButtonLink } from '../../../html/parts.tsx'
import { bothSurfaces, type PortalSection } from '../../page.ts'
import type { PageContent } from '../../../html/page-content.ts'
import type { Visit } from '../../visit.ts'
import { showList } from './list.tsx'
import { addByForm, deleteRecord, saveRecord, showEdit, showNew } from './form/pages.tsx'
import { showRecord } from './record.tsx'
import { removeView, saveView } from './saved-views.tsx'

export const recordsSection: PortalSection = {
  group: '',
  nav: [{ label: 'Records', path: '/records', in: bothSurfaces }],
  pages: [
    { path: '/records', in: bothSurfaces, show },
    { path: '/records/{area}', in: bothSurfaces, show: showList },
    { path: '/records/{area}/new', in: bothSurfaces, show: showNew, submit: addByForm },
    { path: '/records/{area}/{id}', in: bothSurfaces, show: showRecord },
    { path: '/records/{area}/{id}/edit', in: bothSurfaces, show: showEdit, submit: saveRecord },
    {
      path: '/records/{area}/{id}/delete',
      in: bothSurfaces,
      submit: deleteRecord,
      again: showEdit,
    },
    { path: '/records/{area}/views', in: bothSurfaces, submit: saveView, again: showList },
    {
      path: '/records/{area}/views/{id}/remove',
      in: bothSurfaces,
      submit: removeView,
      again: showList,
    },
  ],
}

function show(visit: Visit): PageContent {
  return {
    title: 'Records',
    lead: 'Records are organised in 16 areas. You can open the areas that your portal grants include.',
    actions: (
      <ButtonLink href={visit.at('/ask')} kind="main">
        Request access
      </ButtonLink>
    ),
    body: <AreaGroups visit={visit} isTop />,
  }
}
