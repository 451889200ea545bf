/** The archived views of one kind, with their type. */
import type { ActorView } from '../../../proto/actor.ts'
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
    // The key contains the kind, so the type is known.
    return this.#history.get(this.#kind, id) as V | undefined
  }

  has(id: string): boolean {
    return this.#history.has(this.#kind, id)
  }

  walk(range: ViewRange): Iterable<LazyView<V>> {
    return this.#history.walk(this.#kind, range) as Iterable<LazyView<V>>
  }

  /** Without a tenant, of all tenants. */
  count(tenant?: string): number {
    if (tenant !== undefined) return this.#history.count(this.#kind, tenant)
    return this.tenants().reduce((sum, one) => sum + this.#history.count(this.#kind, one), 0)
  }

  tally(): ReadonlyMap<string, number> {
    return this.#history.tally(this.#kind)
  }

  tenants(): readonly string[] {
    return this.#history.tenants(this.#kind)
  }
}
