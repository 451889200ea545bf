/** Which sessions a list shows, from the query of its URL. */
import { isFinal, type SessionView } from '../../../../../proto/session/session.ts'
import { consoleLimits } from '../../../limits.ts'
import type { ConsoleVisit } from '../../../visit.ts'
import { sessionReason, sessionState } from '../session-words.ts'

export const sessionShows = ['live', 'ended', 'all'] as const
export type SessionShow = (typeof sessionShows)[number]

export interface SessionQuery {
  readonly show: SessionShow
  /** Words, each of which must occur somewhere in a row. */
  readonly words: readonly string[]
  /** Counted from 1. */
  readonly page: number
}

export interface SessionPage {
  /** Newest first. */
  readonly rows: readonly SessionView[]
  /** Of the sessions that match the words, by state. */
  readonly counts: Readonly<Record<SessionShow, number>>
  readonly page: number
  readonly pages: number
  /** Sessions that this key may see, whatever the query is. */
  readonly total: number
}

export function sessionQuery(query: URLSearchParams): SessionQuery {
  const show = sessionShows.find((name) => name === query.get('show')) ?? 'live'
  const text = (query.get('search') ?? '').slice(0, consoleLimits.searchChars)
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const page = /^\d{1,6}$/.test(query.get('page') ?? '') ? Number(query.get('page')) : 1
  return { show, words, page: Math.max(1, page) }
}

type Viewer = Pick<ConsoleVisit, 'isAdmin' | 'facts' | 'deps'>

/** All sessions that the key may see, oldest first. */
export function visibleSessions({ isAdmin, facts, deps }: Viewer): readonly SessionView[] {
  return isAdmin ? [...deps.views.all()] : deps.views.list(facts.principal.tenant)
}

export function findSessions(
  visible: readonly SessionView[],
  { show, words, page }: SessionQuery,
): SessionPage {
  const matching = words.length === 0 ? visible : visible.filter((view) => matches(view, words))
  const live = matching.filter(({ status }) => !isFinal(status))
  const counts = { live: live.length, ended: matching.length - live.length, all: matching.length }
  const shown = show === 'live' ? live : matching.filter((view) => show === 'all' || isOver(view))
  const sorted = shown.toSorted((a, b) => b.createdAtMs - a.createdAtMs || (a.id < b.id ? 1 : -1))
  const size = consoleLimits.sessionRows
  const pages = Math.max(1, Math.ceil(sorted.length / size))
  const current = Math.min(page, pages)
  const rows = sorted.slice((current - 1) * size, current * size)
  return { rows, counts, page: current, pages, total: visible.length }
}

const isOver = ({ status }: SessionView) => isFinal(status)

function matches(view: SessionView, words: readonly string[]): boolean {
  const { id, tenant, keyId, keyName, nodeId = '', tags, options } = view
  const parts = [id, tenant, keyId, keyName, nodeId, ...tags, options.initialUrl ?? '']
  const all = [...parts, sessionState(view).label, sessionReason(view)].join('\n').toLowerCase()
  return words.every((word) => all.includes(word))
}
