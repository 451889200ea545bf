/**
 * The endpoints and the entities that their grants depend on, for fan-out and workers: the views
 * that gateways use too, kept up to date by a watch.
 */
import type { Logger } from 'pino'
import type { EndpointView } from '../../proto/access/webhooks/endpoint.ts'
import { decode } from '../../proto/codec.ts'
import type { ChainLookup, ChainViews } from '../access/in-force.ts'
import type { Clock } from '../lib/clock.ts'
import { GroupedMap } from '../lib/grouped-map.ts'
import { awaitStore } from '../store/await-store.ts'
import type { Bucket, BucketChange, BucketWatch } from '../store/store.ts'
import type { ViewRecord } from '../actor/views.ts'

interface Views extends ChainViews {
  readonly endpoint: EndpointView
}
type Kind = keyof Views
const kinds = ['client', 'scope', 'need', 'grant', 'person', 'endpoint'] as const
type Listener = (endpoint: EndpointView) => void

export class WebhookViews implements ChainLookup {
  readonly #held = new Map<string, { readonly view: Views[Kind]; readonly n: number }>()
  readonly #endpoints = new GroupedMap<EndpointView>()
  readonly #listeners = new Set<Listener>()
  #watches: readonly BucketWatch[] = []
  #count = { access: 0, service: 0 }

  /** Resolves when all existing views are loaded; waits for a store that is slow. */
  static async open(
    views: Bucket,
    { clock, log }: { readonly clock: Clock; readonly log: Logger },
  ): Promise<WebhookViews> {
    const own = new WebhookViews()
    const watches = kinds.map((kind) =>
      awaitStore({ clock, log }, `the records of kind ${kind}`, () =>
        views.watch((change) => own.#apply(change), `${kind}.`),
      ),
    )
    own.#watches = await Promise.all(watches)
    return own
  }

  get<K extends Kind>(kind: K, id: string): Views[K] | undefined {
    // The key contains the kind, so the type is known.
    return this.#held.get(`${kind}.${id}`)?.view as Views[K] | undefined
  }

  endpointsOf(tenant: string): readonly EndpointView[] {
    return this.#endpoints.of(tenant)
  }

  /** Endpoints of all tenants. */
  *endpoints(): Iterable<EndpointView> {
    yield* this.#endpoints.all()
  }

  endpointsOfGrant(tenant: string, grantId: string): readonly EndpointView[] {
    return this.endpointsOf(tenant).filter((endpoint) => endpoint.grantId === grantId)
  }

  /** True if an endpoint of this surface may receive anything. */
  has(surface: 'access' | 'service'): boolean {
    return this.#count[surface] > 0
  }

  onEndpoint(listener: Listener): void {
    this.#listeners.add(listener)
  }

  stop(): void {
    for (const watch of this.#watches) watch.stop()
    this.#listeners.clear()
  }

  #apply(change: BucketChange): void {
    const [kind = '', tenant = '', id = ''] = change.key.split('.')
    const key = `${kind}.${id}`
    const known = this.#held.get(key)
    if (kind === 'endpoint') this.#tally(known?.view as EndpointView | undefined, -1)
    if (change.type === 'delete') {
      this.#held.delete(key)
      this.#endpoints.delete(tenant, id)
      return
    }
    const record = decode<ViewRecord<Views[Kind]>>(change.value)
    const isNewer = !known || record.n >= known.n
    if (isNewer) this.#held.set(key, { view: record.view, n: record.n })
    if (kind !== 'endpoint') return
    const endpoint = (isNewer ? record.view : known.view) as EndpointView
    this.#tally(endpoint, 1)
    if (endpoint.status === 'removed') this.#endpoints.delete(tenant, id)
    else this.#endpoints.set(tenant, endpoint)
    for (const listener of this.#listeners) listener(endpoint)
  }

  #tally(endpoint: EndpointView | undefined, by: 1 | -1): void {
    if (!endpoint || endpoint.status === 'removed') return
    this.#count[endpoint.grantId === null ? 'service' : 'access'] += by
  }
}
