/** Paging of lists with REST's cursors: the id of the last row shown. */
import type { PagerLinks } from '../../html/parts.tsx'
import { withQuery } from '../../html/parts.tsx'
import type { Visit } from '../visit.ts'

export const rowsPerPage = 25

export interface PagedRows<V> {
  readonly rows: readonly V[]
  readonly links: PagerLinks
}

/** For rows that are sorted newest first. */
export function pageRows<V extends { readonly id: string }>(
  visit: Visit,
  newestFirst: readonly V[],
): PagedRows<V> {
  const cursor = visit.asked('cursor')
  const rest = cursor === undefined ? newestFirst : newestFirst.filter(({ id }) => id < cursor)
  const rows = rest.slice(0, rowsPerPage)
  const last = rest.length > rows.length ? rows.at(-1)?.id : undefined
  return { rows, links: pagerLinks(visit, last) }
}

export function pagerLinks(visit: Visit, next: string | undefined): PagerLinks {
  const { path } = visit.facts.request
  const link = (cursor: string | undefined) => withQuery(path, visit.query, { cursor })
  return {
    first: visit.asked('cursor') === undefined ? undefined : link(undefined),
    next: next === undefined ? undefined : link(next),
  }
}

/** For rows in any order: continues after the row that was shown last. */
export function pagedAfter<V extends { readonly id: string }>(
  visit: Visit,
  sorted: readonly V[],
): PagedRows<V> {
  const cursor = visit.asked('cursor')
  const from = sorted.findIndex(({ id }) => id === cursor) + 1
  const rows = sorted.slice(from, from + rowsPerPage)
  const last = sorted.length > from + rows.length ? rows.at(-1)?.id : undefined
  return { rows, links: pagerLinks(visit, last) }
}
