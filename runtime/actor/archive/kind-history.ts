/**
 * The archived views of one kind, with their type. Ids and tenants come from requests: what cannot be
 * one is not looked up, because keys of LMDB are short.
 */
import type { ActorView } from '../../../proto/actor.ts'
import { isToken } from '../../../proto/ids.ts'
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
    if (tenant !== undefined) return isToken(tenant) ? this.#history.count(this.#kind, tenant) : 0
    return this.tenants().reduce((sum, one) => sum + this.#history.count(this.#kind, one), 0)
  }

  tally(): ReadonlyMap<string, number> {
    return this.#history.tally(this.#kind)
  }

  tenants(): readonly string[] {
    return this.#history.tenants(this.#kind)
  }
}
