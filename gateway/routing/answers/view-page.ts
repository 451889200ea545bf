/** Pages of what is kept, running and ended, without reading all of it. */
import type { ActorView } from '../../../proto/actor.ts'
import { defined } from '../../../proto/defined.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { limits } from '../../../proto/limits.ts'
import type { LazyView, ViewRange } from '../../../runtime/actor/archive/history.ts'
import type { KeptViews } from '../../../runtime/actor/kept-views.ts'
import type { PageQuery } from './paging.ts'

export interface Wanted<V> extends Omit<ViewRange, 'newestFirst' | 'after'> {
  /** Absent: all. */
  readonly matches?: ((view: V) => boolean) | undefined
  /** Set if the range alone does not say which archived views match: they have to be read. */
  readonly mustRead?: boolean
}

/** Throws `bad_request` for a page that is too far away, with the cursor that leads there. */
export function pageOfViews<V extends ActorView>(
  views: Pick<KeptViews<V>, 'walk' | 'count'>,
  { matches, mustRead = false, ...range }: Wanted<V>,
  { page, limit, sort_order: order, cursor }: PageQuery,
) {
  if (cursor !== undefined && page > 1) {
    throw new ServiceError('bad_request', 'A request has either `cursor` or `page`.')
  }
  const newestFirst = order === 'desc'
  const walked = () => views.walk({ ...range, newestFirst, after: cursor }, matches)
  const start = (page - 1) * limit
  refuseBeyond(start + limit, limit, walked)
  const count = matches ? undefined : views.count(range.tenant)
  const isPart = cursor !== undefined && matches !== undefined
  const part = { start, end: start + limit, isCounted: count === undefined && !isPart }
  const found = pageOf(walked(), part, mustRead ? matches : undefined)
  const total = count ?? found.total
  return {
    rows: found.rows,
    counts: {
      ...{ total, page, total_pages: Math.ceil(total / limit) },
      ...((found.isCut || isPart) && { total_is_minimum: true as const }),
      ...defined({ next_cursor: found.next }),
    },
  }
}

/** Pages are counted from the first row on, so each costs as much as all before it. */
function refuseBeyond(end: number, limit: number, walked: () => Iterable<LazyView<unknown>>): void {
  const { listRowsSearched: most } = limits
  if (end <= most) return
  const reached = Math.floor(most / limit) * limit
  let seen = 0
  for (const { id } of walked()) {
    if (++seen < reached) continue
    const message = `Pages reach to row ${reached} of a list; go on from there with cursor=${id}.`
    throw new ServiceError('bad_request', message, { cursor: id })
  }
}

interface Part {
  readonly start: number
  readonly end: number
  /** Whether the rows behind the page are to be counted. */
  readonly isCounted: boolean
}

/** Without `matches`, only the rows of the page are read. */
function pageOf<V extends ActorView>(
  walked: Iterable<LazyView<V>>,
  { start, end, isCounted }: Part,
  matches: ((view: V) => boolean) | undefined,
) {
  const rows: V[] = []
  let seen = 0
  let total = 0
  let lastId: string | undefined
  for (const one of walked) {
    const isPast = total >= end
    const isEnough = seen >= limits.listRowsSearched
    if (isEnough && (matches || (isPast && isCounted))) {
      // What was searched in vain is not searched again.
      return { rows, total, isCut: true, next: isPast ? rows.at(-1)?.id : lastId }
    }
    seen++
    lastId = one.id
    const isOnPage = total >= start && !isPast
    const view = matches || isOnPage ? one.read() : undefined
    if (matches && !(view && matches(view))) continue
    if (view && isOnPage) rows.push(view)
    total++
    if (isPast && !isCounted) break
  }
  return { rows, total, isCut: false, next: total > end ? rows.at(-1)?.id : undefined }
}

/** The same for views that are all in memory, sorted oldest first. */
export const pageOfFew = <V extends ActorView>(views: readonly V[], query: PageQuery) =>
  pageOfViews<V>({ walk: (range) => walkFew(views, range), count: () => views.length }, {}, query)

function* walkFew<V extends ActorView>(
  views: readonly V[],
  { newestFirst, after }: ViewRange,
): Iterable<LazyView<V>> {
  for (const view of newestFirst ? views.toReversed() : views) {
    const { id } = view
    const isAfter = after === undefined || (newestFirst ? id < after : id > after)
    if (isAfter) yield { id, read: () => view }
  }
}
