/** Parses from the URL which sessions a list shows. */
import { isFinal, type SessionView } from '../../../../../proto/session/session.ts'
import { consoleLimits } from '../../../limits.ts'
import {
  consoleListQuery,
  hasWords,
  rowsOfPage,
  visibleViews,
  type ConsoleListPage,
  type ConsoleListQuery,
  type VisibleViews,
} from '../../../lists/list-query.ts'
import type { ConsoleVisit } from '../../../visit.ts'
import { sessionReason, sessionState } from '../session-words.ts'

const sessionShows = ['live', 'ended', 'all'] as const
export type SessionShow = (typeof sessionShows)[number]
export interface SessionQuery extends ConsoleListQuery<SessionShow> {
  /** Shows only sessions of this tenant. */
  readonly tenant?: string
}

export interface SessionPage extends ConsoleListPage<SessionView, SessionShow> {
  /** The tenants of all sessions that this key may see. */
  readonly tenants: readonly string[]
}

export function sessionQuery(query: URLSearchParams): SessionQuery {
  const tenant = query.get('tenant')?.trim()
  return { ...consoleListQuery(query, sessionShows), ...(tenant && { tenant }) }
}

type Viewer = Pick<ConsoleVisit, 'isAdmin' | 'facts' | 'deps'>

/** The sessions that the key may see. */
export function visibleSessions({ isAdmin, facts, deps }: Viewer): VisibleViews<SessionView> {
  return visibleViews(deps.views, isAdmin ? undefined : facts.principal.tenant)
}

export function findSessions(
  { views: visible, total, tenants }: VisibleViews<SessionView>,
  { show, words, page, tenant }: SessionQuery,
): SessionPage {
  const ofTenant = tenant === undefined ? visible : visible.filter((one) => one.tenant === tenant)
  const matching = words.length === 0 ? ofTenant : ofTenant.filter((view) => matches(view, words))
  const live = matching.filter(({ status }) => !isFinal(status))
  const counts = { live: live.length, ended: matching.length - live.length, all: matching.length }
  const shown = show === 'live' ? live : matching.filter((view) => show === 'all' || isOver(view))
  const rows = rowsOfPage(shown, page, consoleLimits.sessionRows)
  return { ...rows, counts, tenants, total, older: total - visible.length }
}

const isOver = ({ status }: SessionView) => isFinal(status)

function matches(view: SessionView, words: readonly string[]): boolean {
  const { id, tenant, keyId, keyName, nodeId = '', tags, options } = view
  const parts = [id, tenant, keyId, keyName, nodeId, ...tags, options.initialUrl ?? '']
  return hasWords([...parts, sessionState(view).label, sessionReason(view)], words)
}
