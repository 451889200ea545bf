/**
 * Recent events, for endpoints that have just become active. An endpoint's actor reports that it is
 * active a moment before its view does, and from then on its owner expects events: once the view
 * has arrived, the endpoint gets the events that it missed.
 */
import type { WebhookSurface } from '../../../proto/access/webhooks/delivery.ts'
import type { EndpointView } from '../../../proto/access/webhooks/endpoint.ts'
import { webhookLimits as limits } from '../../../proto/access/webhooks/webhook-limits.ts'
import type { Occurrence } from './occurrences.ts'

interface Recent {
  readonly surface: WebhookSurface
  readonly happening: Occurrence
}

export class RecentOccurrences {
  #recent: Recent[] = []
  /** Endpoint id → time of its verification, for those seen active. */
  readonly #known = new Map<string, number>()
  readonly #late = new Map<string, EndpointView>()

  add(surface: WebhookSurface, happenings: readonly Occurrence[]): void {
    for (const happening of happenings) this.#recent.push({ surface, happening })
    const surplus = this.#recent.length - limits.recentOccurrences
    if (surplus > 0) this.#recent.splice(0, surplus)
  }

  /** True if it has become active and may have missed recent events. */
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

  /** The recent events that newly active endpoints may have missed; each is returned once. */
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
