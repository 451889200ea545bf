/**
 * All views of one kind that are kept: those in memory, of what runs or ended lately, and those in
 * the archive. An actor that is just moving is in both, and counts once.
 */
import type { ActorView } from '../../proto/actor.ts'
import type { ActorUse, UseRange } from './archive/archived-kind.ts'
import type { LazyView, ViewRange } from './archive/history.ts'
import type { KindHistory } from './archive/kind-history.ts'
import type { ViewIndex } from './views.ts'

const lazily = <V extends ActorView>(view: V): LazyView<V> => ({ id: view.id, read: () => view })

type Members<C> = Pick<C, keyof C>

export class KeptViews<V extends ActorView> {
  readonly #held: Members<ViewIndex<V>>
  readonly #history: Members<KindHistory<V>>
  #newest: { readonly key: string; readonly views: readonly V[] } | undefined

  constructor(held: Members<ViewIndex<V>>, history: Members<KindHistory<V>>) {
    this.#held = held
    this.#history = history
  }

  get(id: string): V | undefined {
    return this.#held.get(id) ?? this.#history.get(id)
  }

  learn(view: V): void {
    this.#held.learn(view)
  }

  /** A view that moves to the archive disappears from memory: `undefined`. */
  onChange(listener: Parameters<ViewIndex<V>['onChange']>[0]): () => void {
    return this.#held.onChange(listener)
  }

  /** Of what runs or ended lately; oldest first. */
  list(tenant: string): V[] {
    return this.#held.list(tenant)
  }

  /** Of what runs or ended lately, in no particular order. */
  all(): Iterable<V> {
    return this.#held.all()
  }

  /**
   * In the order of creation. `isWanted` says which of those in memory are in the range; of the
   * archive, its index knows.
   */
  *walk(range: ViewRange, isWanted?: (view: V) => boolean): Iterable<LazyView<V>> {
    const { tenant, newestFirst, after } = range
    const isBefore = (a: string, b: string) => (newestFirst ? a > b : a < b)
    const all = this.#heldOf(tenant)
    const left = after === undefined ? all : all.filter(({ id }) => isBefore(after, id))
    const held = isWanted ? left.filter(isWanted) : left
    if (tenant === undefined) held.sort((a, b) => (a.id < b.id ? -1 : 1))
    if (newestFirst) held.reverse()
    let at = 0
    for (const archived of this.#history.walk(range)) {
      while (at < held.length && isBefore(held[at]!.id, archived.id)) yield lazily(held[at++]!)
      if (held[at]?.id !== archived.id) yield archived
    }
    while (at < held.length) yield lazily(held[at++]!)
  }

  /** The newest archived ones, newest first; the last list is remembered, because pages repeat it. */
  newestArchived(tenant: string | undefined, limit: number): readonly V[] {
    const key = `${this.#history.version} ${tenant ?? ''} ${limit}`
    if (this.#newest?.key === key) return this.#newest.views
    const views: V[] = []
    for (const archived of this.#history.walk({ tenant, newestFirst: true })) {
      if (views.length === limit) break
      const view = archived.read()
      if (view) views.push(view)
    }
    this.#newest = { key, views }
    return views
  }

  /** Those in the archive, of all tenants; oldest first. */
  archivedWith(facet: string): readonly V[] {
    const found = this.#history.walk({ newestFirst: false, facets: [facet] })
    return [...found].flatMap((archived) => archived.read() ?? [])
  }

  count(tenant?: string): number {
    const held = this.#heldOf(tenant)
    return (
      held.length + this.#history.count(tenant) - held.filter((view) => this.#isBoth(view)).length
    )
  }

  /** How many there are in each status, over all tenants. */
  tally(statusOf: (view: V) => string): ReadonlyMap<string, number> {
    const sums = new Map(this.#history.tally())
    const add = (status: string, by: number) => sums.set(status, (sums.get(status) ?? 0) + by)
    for (const view of this.#held.all()) if (!this.#isBoth(view)) add(statusOf(view), 1)
    return sums
  }

  /** What was used by those created on these days; several times for a day and key. */
  *uses(range: UseRange, useOf: (view: V) => ActorUse): Iterable<ActorUse> {
    yield* this.#history.uses(range)
    for (const view of this.#heldOf(range.tenant)) {
      if (this.#isBoth(view)) continue
      const use = useOf(view)
      if (use.day >= range.fromDay && use.day <= range.toDay) yield use
    }
  }

  /** Tenants that have any. */
  tenants(): readonly string[] {
    const held = [...this.#held.all()].map(({ tenant }) => tenant)
    return [...new Set([...held, ...this.#history.tenants()])].sort()
  }

  #heldOf(tenant: string | undefined): V[] {
    return tenant === undefined ? [...this.#held.all()] : this.#held.list(tenant)
  }

  #isBoth({ id, endedAtMs }: V): boolean {
    return endedAtMs !== undefined && this.#history.has(id)
  }
}
