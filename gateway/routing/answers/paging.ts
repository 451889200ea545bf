/** Paging for all lists of the service. */
import { z } from 'zod'
import { limits } from '../../../proto/limits.ts'

export const pageQuery = {
  page: z.coerce.number().int().min(1).default(1),
  limit: z.coerce.number().int().min(1).max(limits.pageRows).default(10),
  sort_by: z.literal('created_at').default('created_at'),
  sort_order: z.enum(['asc', 'desc']).default('asc').describe('By creation; asc: oldest first.'),
}

export interface PageQuery {
  readonly page: number
  readonly limit: number
  readonly sort_order: 'asc' | 'desc'
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

/** `found` must be sorted oldest first. */
export function pageOfRows<T>(found: readonly T[], { page, limit, sort_order }: PageQuery) {
  const sorted = sort_order === 'desc' ? found.toReversed() : found
  const start = (page - 1) * limit
  const counts = { total: found.length, page, total_pages: Math.ceil(found.length / limit) }
  return { rows: sorted.slice(start, start + limit), counts }
}
