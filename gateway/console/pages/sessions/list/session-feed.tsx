/** Keeps an open list of sessions current. */
import type { SessionView } from '../../../../../proto/session/session.ts'
import { feedList } from '../../../lists/list-feed.ts'
import type { ConsoleFile } from '../../../page.ts'
import type { ConsoleVisit } from '../../../visit.ts'
import { SessionsRegion, ShowSwitch } from './session-list.tsx'
import { findSessions, sessionQuery, visibleSessions, type SessionPage } from './session-query.ts'
import { rowIdOf, SessionTableRow } from './session-row.tsx'

/** The query is that of the list. */
export function feedSessions(visit: ConsoleVisit): ConsoleFile {
  const query = sessionQuery(visit.query)
  return feedList<SessionView, SessionPage>(visit, {
    into: 'sessions',
    // The view that is removed no longer contains its tenant.
    watch: (onChange) =>
      visit.deps.views.onChange((view) => {
        if (!view || visit.sees(view.tenant)) onChange()
      }),
    find: (now) => findSessions(visibleSessions(now), query),
    parts: (now, found) => ({
      show: ShowSwitch({ visit: now, query, found }),
      sessions: SessionsRegion({ visit: now, query, found }),
    }),
    rowId: rowIdOf,
    row: (now, view) => SessionTableRow({ visit: now, view }),
  })
}
