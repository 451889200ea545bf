/**
 * The archived views of one kind, with their type. Ids and tenants come from requests: what cannot be
 * one is not looked up, because keys of LMDB are short.
 */
import type { ActorView } from '../../../proto/actor.ts'
import { isToken } from '../../../proto/ids.ts'
import type { ActorUse, UseRange } from './archived-kind.ts'
import type { History, LazyView, ViewRange } from './history.ts'

export class KindHistory<V extends ActorView> {
  readonly #history: History
  readonly #kind: string

  constructor(history: History, kind: string) {
    this.#history = history
    this.#kind = kind
  }

  /** Changes whenever something else is archived, of any kind. */
  get version(): string {
    return this.#history.version
  }

  get(id: string): V | undefined {
    if (!isToken(id)) return undefined
    // The key contains the kind, so the type is known.
    return this.#history.get(this.#kind, id) as V | undefined
  }

  has(id: string): boolean {
    return isToken(id) && this.#history.has(this.#kind, id)
  }

  walk(range: ViewRange): Iterable<LazyView<V>> {
    if (range.tenant !== undefined && !isToken(range.tenant)) return []
    return this.#history.walk(this.#kind, range) as Iterable<LazyView<V>>
  }

  /** Without a tenant, of all tenants. */
  count(tenant?: string): number {
    const { sums } = this.#history
    if (tenant !== undefined) return isToken(tenant) ? sums.count(this.#kind, tenant) : 0
    return this.tenants().reduce((sum, one) => sum + sums.count(this.#kind, one), 0)
  }

  tally(): ReadonlyMap<string, number> {
    return this.#history.sums.tally(this.#kind)
  }

  uses(range: UseRange): Iterable<ActorUse> {
    if (!isToken(range.tenant)) return []
    return this.#history.sums.uses(this.#kind, range)
  }

  tenants(): readonly string[] {
    return this.#history.sums.tenants(this.#kind)
  }
}
