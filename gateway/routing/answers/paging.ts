/** Paging for all lists of the service. */
import { z } from 'zod'
import { tokenPattern } from '../../../proto/ids.ts'
import { limits } from '../../../proto/limits.ts'

export const pageQuery = {
  page: z.coerce.number().int().min(1).default(1),
  limit: z.coerce.number().int().min(1).max(limits.pageRows).default(10),
  sort_by: z.literal('created_at').default('created_at'),
  sort_order: z.enum(['asc', 'desc']).default('asc').describe('By creation; asc: oldest first.'),
}

/** Of lists that may be longer than pages reach. */
export const longPageQuery = {
  ...pageQuery,
  cursor: z
    .string()
    .regex(tokenPattern)
    .optional()
    .describe('The `next_cursor` of a page: the rows after it. Then there is no `page`.'),
}

export interface PageQuery {
  readonly page: number
  readonly limit: number
  readonly sort_order: 'asc' | 'desc'
  /** The id of the row before the page. */
  readonly cursor?: string | undefined
}

/** How many rows a page of a list has, and how many there are. */
export const pageCounts = {
  total: z.number().int(),
  total_is_minimum: z
    .literal(true)
    .optional()
    .describe('There may be more: so many rows matched, or were read, that counting ended.'),
  page: z.number().int(),
  total_pages: z.number().int(),
}

export const longPageCounts = {
  ...pageCounts,
  next_cursor: z
    .string()
    .optional()
    .describe('Given if there are more rows: `cursor` of the request for the next page.'),
}

/** `found` must be sorted oldest first. */
export function pageOfRows<T>(found: readonly T[], { page, limit, sort_order }: PageQuery) {
  const sorted = sort_order === 'desc' ? found.toReversed() : found
  const start = (page - 1) * limit
  const counts = { total: found.length, page, total_pages: Math.ceil(found.length / limit) }
  return { rows: sorted.slice(start, start + limit), counts }
}
