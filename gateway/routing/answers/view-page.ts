/** Pages of what is kept, running and ended, without reading all of it. */
import type { ActorView } from '../../../proto/actor.ts'
import { limits } from '../../../proto/limits.ts'
import type { LazyView, ViewRange } from '../../../runtime/actor/archive/history.ts'
import type { KeptViews } from '../../../runtime/actor/kept-views.ts'
import type { PageQuery } from './paging.ts'

export interface Wanted<V> extends Omit<ViewRange, 'newestFirst'> {
  /** Absent: all. */
  readonly matches?: ((view: V) => boolean) | undefined
  /** Set if the range alone does not say which archived views match: they have to be read. */
  readonly mustRead?: boolean
}

export function pageOfViews<V extends ActorView>(
  views: Pick<KeptViews<V>, 'walk' | 'count'>,
  { matches, mustRead = false, ...range }: Wanted<V>,
  { page, limit, sort_order: order }: PageQuery,
) {
  const walked = views.walk({ ...range, newestFirst: order === 'desc' }, matches)
  const start = (page - 1) * limit
  const count = matches ? undefined : views.count(range.tenant)
  const found = pageOf(walked, { start, end: start + limit, count }, mustRead ? matches : undefined)
  const { rows, total, isCut } = found
  const counts = { total, page, total_pages: Math.ceil(total / limit) }
  return { rows, counts: isCut ? { ...counts, total_is_minimum: true as const } : counts }
}

interface Part {
  readonly start: number
  readonly end: number
  /** The number of all, if it is known. */
  readonly count: number | undefined
}

/** Without `matches`, only the rows of the page are read. */
function pageOf<V>(
  walked: Iterable<LazyView<V>>,
  { start, end, count }: Part,
  matches: ((view: V) => boolean) | undefined,
) {
  const rows: V[] = []
  let seen = 0
  let total = 0
  for (const one of walked) {
    const isPast = total >= end
    if (isPast && count !== undefined) break
    const isEnough = seen >= limits.listRowsSearched
    if (isEnough && (matches || isPast)) return { rows, total, isCut: true }
    seen++
    const isOnPage = total >= start && !isPast
    const view = matches || isOnPage ? one.read() : undefined
    if (matches && !(view && matches(view))) continue
    if (view && isOnPage) rows.push(view)
    total++
  }
  return { rows, total: count ?? total, isCut: false }
}
