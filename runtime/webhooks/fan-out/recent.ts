/**
 * What happened just now. An endpoint's actor says that it is active a moment before its view does,
 * and whoever has heard it from the actor counts on what happens from then on: once the view is
 * here, that endpoint is told of what has passed meanwhile.
 */
import type { HookSurface } from '../../../proto/access/delivery.ts'
import type { EndpointView } from '../../../proto/access/endpoint.ts'
import { webhookLimits as limits } from '../../../proto/access/webhook-limits.ts'
import type { Happening } from './happening.ts'

interface Recent {
  readonly surface: HookSurface
  readonly happening: Happening
}

export class RecentHappenings {
  #recent: Recent[] = []
  /** Endpoint → when it was verified, as far as they were told here. */
  readonly #known = new Map<string, number>()
  readonly #late = new Map<string, EndpointView>()

  add(surface: HookSurface, happenings: readonly Happening[]): void {
    for (const happening of happenings) this.#recent.push({ surface, happening })
    const surplus = this.#recent.length - limits.recentHappenings
    if (surplus > 0) this.#recent.splice(0, surplus)
  }

  /** True when it has become active without being told of what is recent. */
  see({ verifiedAtMs, ...endpoint }: EndpointView): boolean {
    if (endpoint.status !== 'active' || verifiedAtMs === undefined) {
      this.#known.delete(endpoint.id)
      return false
    }
    if (this.#known.get(endpoint.id) === verifiedAtMs) return false
    this.#known.set(endpoint.id, verifiedAtMs)
    this.#late.set(endpoint.id, { ...endpoint, verifiedAtMs })
    return true
  }

  /** What those that came late may have missed; asked once. */
  takeLate(): readonly { readonly endpoint: EndpointView; readonly missed: readonly Recent[] }[] {
    const late = [...this.#late.values()].map((endpoint) => ({
      endpoint,
      missed: this.#recent.filter(
        ({ happening }) =>
          happening.tenant === endpoint.tenant &&
          happening.event.atMs >= (endpoint.verifiedAtMs ?? Infinity),
      ),
    }))
    this.#late.clear()
    return late.filter(({ missed }) => missed.length > 0)
  }
}
