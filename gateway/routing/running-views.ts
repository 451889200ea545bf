/**
 * What runs of one kind of actor, by tenant and by key: what limits count. Built from the views, so
 * it cannot drift from them; its cost grows with what runs, not with what has ended.
 */
import type { ActorView } from '../../proto/actor.ts'
import type { ViewIndex } from '../../runtime/actor/views.ts'
import { GroupedMap } from '../../runtime/lib/grouped-map.ts'

export interface KeyedView extends ActorView {
  readonly keyId: string
}

export class RunningViews<V extends KeyedView> {
  readonly #isOver: (view: V) => boolean
  readonly #byId = new Map<string, V>()
  readonly #byTenant = new GroupedMap<V>()
  readonly #byKey = new GroupedMap<V>()

  /** Must be constructed before other listeners of view changes that read it. */
  constructor(views: Pick<ViewIndex<V>, 'all' | 'onChange'>, isOver: (view: V) => boolean) {
    this.#isOver = isOver
    for (const view of views.all()) this.#seen(view, view.id)
    views.onChange((view, id) => this.#seen(view, id))
  }

  /** Oldest first. */
  ofTenant(tenant: string): readonly V[] {
    return this.#byTenant.of(tenant)
  }

  /** Oldest first. */
  ofKey(keyId: string): readonly V[] {
    return this.#byKey.of(keyId)
  }

  countOfTenant(tenant: string): number {
    return this.#byTenant.count(tenant)
  }

  countOfKey(keyId: string): number {
    return this.#byKey.count(keyId)
  }

  /** Tenants of which something runs. */
  tenants(): Iterable<string> {
    return this.#byTenant.groups()
  }

  #seen(view: V | undefined, id: string): void {
    const before = this.#byId.get(id)
    if (before) {
      this.#byTenant.delete(before.tenant, id)
      this.#byKey.delete(before.keyId, id)
      this.#byId.delete(id)
    }
    if (!view || this.#isOver(view)) return
    this.#byId.set(id, view)
    this.#byTenant.set(view.tenant, view)
    this.#byKey.set(view.keyId, view)
  }
}
