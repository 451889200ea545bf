/** Pages of what is kept, running and ended, without reading all of it. */
import type { ActorView } from '../../../proto/actor.ts'
import { limits } from '../../../proto/limits.ts'
import type { LazyView } from '../../../runtime/actor/archive/history.ts'
import type { KeptViews } from '../../../runtime/actor/kept-views.ts'
import type { PageQuery } from './paging.ts'

type Ordered<V extends ActorView> = Pick<KeptViews<V>, 'walk' | 'count'>

interface Wanted<V> {
  /** Absent: of all tenants. */
  readonly tenant?: string | undefined
  /** Absent: all. */
  readonly matches?: ((view: V) => boolean) | undefined
}

export function pageOfViews<V extends ActorView>(
  views: Ordered<V>,
  { tenant, matches }: Wanted<V>,
  { page, limit, sort_order: order }: PageQuery,
) {
  const range = { tenant, newestFirst: order === 'desc' }
  const start = (page - 1) * limit
  const found = matches
    ? matchingViews(views.walk(range), matches)
    : { views: viewsAt(views.walk(range), start, limit), total: views.count(tenant) }
  const rows = matches ? found.views.slice(start, start + limit) : found.views
  const { total } = found
  const isCut = 'isCut' in found && found.isCut
  const counts = { total, page, total_pages: Math.ceil(total / limit) }
  return { rows, counts: isCut ? { ...counts, total_is_minimum: true as const } : counts }
}

/** The matching ones of so many as may be looked at for one request. */
export function matchingViews<V extends ActorView>(
  all: Iterable<LazyView<V>>,
  matches: (view: V) => boolean,
): { readonly views: readonly V[]; readonly total: number; readonly isCut: boolean } {
  const found: V[] = []
  let seen = 0
  let isCut = false
  for (const one of all) {
    isCut = seen++ === limits.listRowsSearched
    if (isCut) break
    const view = one.read()
    if (view && matches(view)) found.push(view)
  }
  return { views: found, total: found.length, isCut }
}

function viewsAt<V extends ActorView>(
  all: Iterable<LazyView<V>>,
  start: number,
  count: number,
): readonly V[] {
  const found: V[] = []
  let at = 0
  for (const one of all) {
    if (at++ < start) continue
    const view = one.read()
    if (view) found.push(view)
    if (at === start + count) break
  }
  return found
}
