/** The managed backlog: board, table, calendar, single changes, and asking for one. */
import { everywhere, type Section } from '../../page.ts'
import { showBoard } from './board.tsx'
import { showCalendar } from './calendar.tsx'
import { showChange } from './change.tsx'
import { actPages } from './do.ts'
import { draft, edit, showEdit, showNew } from './form/pages.tsx'
import { waitingChanges } from './standing.ts'
import { showTable } from './table.tsx'
import { showTemplates } from './templates.tsx'

export const changes: Section = {
  group: 'Work',
  nav: [
    {
      ...{ label: 'Changes', path: '/changes', in: everywhere },
      count: (visit) => waitingChanges(visit).length,
    },
  ],
  pages: [
    { path: '/changes', in: everywhere, show: showBoard },
    { path: '/changes/table', in: everywhere, show: showTable },
    { path: '/changes/calendar', in: everywhere, show: showCalendar },
    { path: '/changes/templates', in: everywhere, show: showTemplates },
    { path: '/changes/new', in: everywhere, show: showNew, submit: draft },
    { path: '/changes/{id}', in: everywhere, show: showChange },
    { path: '/changes/{id}/edit', in: everywhere, show: showEdit, submit: edit },
    ...actPages,
  ],
}
