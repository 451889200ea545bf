/** Filters for lists of sessions. */
import { z } from 'zod'
import { isFinal, sessionStatuses, type SessionView } from '../../proto/session/session.ts'
import { pageOfRows, pageQuery } from '../routing/answers/paging.ts'
import { pageOfViews } from '../routing/answers/view-page.ts'
import type { SessionViews } from './session-views.ts'
import type { TallyOf } from './task-tally.ts'

const isoTime = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text))
export const commaList = z.string().transform((text) => text.split(',').map((item) => item.trim()))

const filters = {
  tags: commaList.optional().describe('Comma-separated tags; only sessions that have all of them.'),
  created_from: isoTime.optional().describe('ISO 8601 time, inclusive.'),
  created_to: isoTime.optional().describe('ISO 8601 time, inclusive.'),
  task_initiated: z
    .boolean()
    .optional()
    .describe('Only sessions that were (true) or were not (false) created for a task.'),
}

export const statusQuery = z.strictObject(filters)

export const listQuery = z.strictObject({
  ...filters,
  ...pageQuery,
  status: z.string().optional().describe('Only sessions with this status.'),
  search: z
    .string()
    .optional()
    .describe('Words separated by spaces; each must be contained in a tag of the session.'),
})

type Filters = z.infer<typeof statusQuery>
type ListQuery = z.infer<typeof listQuery>

/** A page of the sessions of a tenant, or of all. */
export function pageOfSessions(
  views: SessionViews,
  tenant: string | undefined,
  query: ListQuery,
  tallyOf: TallyOf,
) {
  const status = query.status?.toLowerCase()
  const words = (query.search ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  const { tags, created_from, created_to, task_initiated } = query
  const filters = [tags, created_from, created_to, task_initiated, status, words[0]]
  const matches = (view: SessionView) =>
    matchesFilter(view, query, tallyOf) &&
    (status === undefined || view.status === status) &&
    words.every((word) => view.tags.some((tag) => tag.toLowerCase().includes(word)))
  if (status !== undefined && !finalStatuses.includes(status)) {
    // What runs is in memory.
    const held = tenant === undefined ? byId(views.all()) : views.list(tenant)
    return pageOfRows(held.filter(matches), query)
  }
  const isFiltered = filters.some((filter) => filter !== undefined)
  return pageOfViews(views, { tenant, matches: isFiltered ? matches : undefined }, query)
}

const finalStatuses: readonly string[] = sessionStatuses.filter(isFinal)

const byId = (views: Iterable<SessionView>) => [...views].sort((a, b) => (a.id < b.id ? -1 : 1))

export function matchesFilter(view: SessionView, query: Filters, tallyOf: TallyOf): boolean {
  const { tags = [], created_from, created_to, task_initiated } = query
  return (
    tags.every((tag) => view.tags.includes(tag)) &&
    (created_from === undefined || view.createdAtMs >= created_from) &&
    (created_to === undefined || view.createdAtMs <= created_to) &&
    (task_initiated === undefined || tallyOf(view.id).isInitiated === task_initiated)
  )
}
