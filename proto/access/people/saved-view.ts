/** Lists that a person has saved: an area with filters and an order. Only that person sees them. */
import { z } from 'zod'
import { areaKeys, type AreaKey } from '../areas/areas.ts'
import { nameText } from '../common.ts'
import type { AccessId } from '../ids.ts'
import { accessLimits as limits } from '../limits.ts'

export type SavedViewId = AccessId<'savedView'>

export interface SavedView {
  readonly id: SavedViewId
  readonly name: string
  readonly area: AreaKey
  /** The query string of the list: `filter[…]` and `sort`. */
  readonly query: string
}

export const savedViewBody = z.strictObject({
  area: z.enum(areaKeys),
  name: nameText.describe('A saved view of the same area and name is replaced.'),
  query: z
    .string()
    .max(limits.savedViewQueryChars)
    .default('')
    .describe('Filters and sort order as a query string, such as filter[status]=open&sort=-due_at'),
})

/** Keeps filters and order of a query, and drops the position in the list. */
export function savedQuery(query: string): string {
  const known = [...new URLSearchParams(query)].filter(
    ([name, value]) => value !== '' && (name.startsWith('filter[') || name === 'sort'),
  )
  return new URLSearchParams(known).toString()
}
