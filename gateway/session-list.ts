/** The filters, order and pages of a list of sessions. */
import { z } from 'zod'
import { limits } from '../proto/limits.ts'
import type { SessionView } from '../proto/session.ts'

const isoTime = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text))
const commaList = z.string().transform((text) => text.split(',').map((item) => item.trim()))

const filters = {
  tags: commaList.optional().describe('Comma-separated; a session must have all of them.'),
  created_from: isoTime.optional().describe('ISO 8601, inclusive.'),
  created_to: isoTime.optional().describe('ISO 8601, inclusive.'),
}

export const statusQuery = z.strictObject(filters)

export const listQuery = z.strictObject({
  ...filters,
  page: z.coerce.number().int().min(1).default(1),
  limit: z.coerce.number().int().min(1).max(limits.pageRows).default(10),
  sort_by: z.literal('created_at').default('created_at'),
  sort_order: z.enum(['asc', 'desc']).default('asc'),
  status: z.string().optional().describe('Exactly this status.'),
  search: z.string().optional().describe('Words, each of which some tag must contain.'),
})

type Filters = z.infer<typeof statusQuery>
type ListQuery = z.infer<typeof listQuery>

export interface Page {
  readonly rows: readonly SessionView[]
  readonly total: number
}

/** `views` come oldest first. */
export function pageOf(views: readonly SessionView[], query: ListQuery): Page {
  const status = query.status?.toLowerCase()
  const words = (query.search ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  const found = views.filter(
    (view) =>
      passes(view, query) &&
      (status === undefined || view.status === status) &&
      words.every((word) => view.tags.some((tag) => tag.toLowerCase().includes(word))),
  )
  if (query.sort_order === 'desc') found.reverse()
  const start = (query.page - 1) * query.limit
  return { rows: found.slice(start, start + query.limit), total: found.length }
}

export function passes(view: SessionView, { tags, created_from, created_to }: Filters): boolean {
  return (
    (tags ?? []).every((tag) => view.tags.includes(tag)) &&
    (created_from === undefined || view.createdAtMs >= created_from) &&
    (created_to === undefined || view.createdAtMs <= created_to)
  )
}
