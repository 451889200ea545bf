/** Filters for lists of sessions. */
import { z } from 'zod'
import type { SessionView } from '../../proto/session/session.ts'
import { pageQuery } from '../routing/answers/paging.ts'
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

/** The matching views, in their original order. */
export function filterSessions(
  views: readonly SessionView[],
  query: ListQuery,
  tallyOf: TallyOf,
): readonly SessionView[] {
  const status = query.status?.toLowerCase()
  const words = (query.search ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  return views.filter(
    (view) =>
      matchesFilter(view, query, tallyOf) &&
      (status === undefined || view.status === status) &&
      words.every((word) => view.tags.some((tag) => tag.toLowerCase().includes(word))),
  )
}

export function matchesFilter(view: SessionView, query: Filters, tallyOf: TallyOf): boolean {
  const { tags = [], created_from, created_to, task_initiated } = query
  return (
    tags.every((tag) => view.tags.includes(tag)) &&
    (created_from === undefined || view.createdAtMs >= created_from) &&
    (created_to === undefined || view.createdAtMs <= created_to) &&
    (task_initiated === undefined || tallyOf(view.id).isInitiated === task_initiated)
  )
}
