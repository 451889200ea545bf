/** The managed backlog: board, table, calendar, single changes, and asking for one. */
import { bothSurfaces, type PortalSection } from '../../page.ts'
import { showBoard } from './lists/board.tsx'
import { showCalendar } from './lists/calendar.tsx'
import { showChange } from './change/change.tsx'
import { actPages } from './change/submit-actions.ts'
import { draftChange, editChange, showChangeEdit, showNewChange } from './form/pages.tsx'
import { waitingChanges } from './change/possible-actions.ts'
import { showTable } from './lists/table.tsx'
import { showTemplates } from './lists/templates.tsx'

export const changesSection: PortalSection = {
  group: 'Work',
  nav: [
    {
      ...{ label: 'Changes', path: '/changes', in: bothSurfaces },
      count: (visit) => waitingChanges(visit).length,
    },
  ],
  pages: [
    { path: '/changes', in: bothSurfaces, show: showBoard },
    { path: '/changes/table', in: bothSurfaces, show: showTable },
    { path: '/changes/calendar', in: bothSurfaces, show: showCalendar },
    { path: '/changes/templates', in: bothSurfaces, show: showTemplates },
    { path: '/changes/new', in: bothSurfaces, show: showNewChange, submit: draftChange },
    { path: '/changes/{id}', in: bothSurfaces, show: showChange },
    { path: '/changes/{id}/edit', in: bothSurfaces, show: showChangeEdit, submit: editChange },
    ...actPages,
  ],
}
