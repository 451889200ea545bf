/**
 * KV `deliveries`: `<surface>.<tenant>.<endpoint>.<delivery>`. Every step of a delivery is a
 * compare-and-set of its record, which is its only state.
 */
import {
  webhookSurfaces,
  type Delivery,
  type WebhookSurface,
} from '../../../proto/access/webhooks/delivery.ts'
import { isAccessId, type DeliveryId, type EndpointId } from '../../../proto/access/ids.ts'
import { decode, encode } from '../../../proto/codec.ts'
import { isToken } from '../../../proto/ids.ts'
import { limits as storeLimits } from '../../../proto/limits.ts'
import { buckets } from '../../../proto/subjects.ts'
import { StoreConflict, type Bucket, type BucketChange } from '../../store/store.ts'
import type { BusService } from '../../store/bus.ts'
import type { SharedLog } from '../../store/store.ts'

export interface HeldDelivery {
  readonly delivery: Delivery
  readonly revision: number
}

export type DeliveryPlace = Pick<Delivery, 'surface' | 'tenant' | 'endpointId' | 'id'>

export interface DeliveryStores {
  readonly bucket: Bucket
  /** The bucket's stream, for listing keys. */
  readonly keys: Pick<SharedLog, 'subjects'>
}

export class DeliveryStore {
  readonly #bucket: Bucket
  readonly #keys: DeliveryStores['keys']

  constructor({ bucket, keys }: DeliveryStores) {
    this.#bucket = bucket
    this.#keys = keys
  }

  /** False if it exists already. */
  async create(delivery: Delivery): Promise<boolean> {
    try {
      await this.#bucket.create(keyOf(delivery), encode(delivery))
      return true
    } catch (error) {
      if (error instanceof StoreConflict) return false
      throw error
    }
  }

  /** Throws {@link Conflict} if it has changed meanwhile. */
  async replace(delivery: Delivery, revision: number): Promise<HeldDelivery> {
    const next = await this.#bucket.update(keyOf(delivery), encode(delivery), revision)
    return { delivery, revision: next }
  }

  async get(place: DeliveryPlace): Promise<HeldDelivery | undefined> {
    const entry = await this.#bucket.get(keyOf(place))
    return entry && { delivery: decode<Delivery>(entry.value), revision: entry.revision }
  }

  /** Keys of the deliveries of a tenant, of one endpoint, or of all; newest first. */
  async places(
    surface: WebhookSurface,
    tenant?: string,
    endpointId?: EndpointId,
  ): Promise<readonly DeliveryPlace[]> {
    const places = await this.#matching(surface, tenant, endpointId ?? '*', '*')
    return [...places].sort((a, b) => (a.id < b.id ? 1 : -1))
  }

  async find(
    surface: WebhookSurface,
    tenant: string | undefined,
    id: DeliveryId,
  ): Promise<DeliveryPlace | undefined> {
    return (await this.#matching(surface, tenant, '*', id))[0]
  }

  async #matching(
    surface: WebhookSurface,
    tenant: string | undefined,
    endpoint: EndpointId | '*',
    id: DeliveryId | '*',
  ): Promise<readonly DeliveryPlace[]> {
    if (tenant !== undefined && !isToken(tenant)) return []
    const filter = `${keyPrefix}${surface}.${tenant ?? '*'}.${endpoint}.${id}`
    const subjects = await this.#keys.subjects(filter)
    return subjects.flatMap((subject) => readKey(subject.slice(keyPrefix.length)) ?? [])
  }

  /** The deliveries that are still stored, in the order of the keys. */
  async *read(places: readonly DeliveryPlace[]): AsyncIterable<Delivery> {
    for (let at = 0; at < places.length; at += storeLimits.storeReadsAtOnce) {
      const some = places.slice(at, at + storeLimits.storeReadsAtOnce)
      const found = await Promise.all(some.map((place) => this.get(place)))
      for (const held of found) if (held) yield held.delivery
    }
  }

  /**
   * Delivers every record, then each change that `isNews` selects by id and revision. A change may
   * be delivered twice, the older one last.
   */
  async watch(
    isNews: (id: string, revision: number) => boolean,
    onHeld: (held: HeldDelivery) => void,
  ): Promise<BusService> {
    const tell = (change: BucketChange) => {
      const id = change.key.slice(change.key.lastIndexOf('.') + 1)
      if (change.type === 'delete' || !isNews(id, change.revision)) return
      onHeld({ delivery: decode<Delivery>(change.value), revision: change.revision })
    }
    const watches = await Promise.all(
      webhookSurfaces.map((surface) => this.#bucket.watch(tell, `${surface}.`)),
    )
    return { stop: () => watches.forEach((watch) => watch.stop()) }
  }
}

const keyPrefix = `$KV.${buckets.deliveries}.`

function keyOf({ surface, tenant, endpointId, id }: DeliveryPlace): string {
  if (!isToken(tenant) || !isAccessId('endpoint', endpointId) || !isAccessId('delivery', id)) {
    throw new Error('no place of a delivery')
  }
  return `${surface}.${tenant}.${endpointId}.${id}`
}

function readKey(key: string): DeliveryPlace | undefined {
  const [surface = '', tenant = '', endpointId = '', id = ''] = key.split('.')
  const known = webhookSurfaces.find((one) => one === surface)
  if (!known || !isAccessId('endpoint', endpointId) || !isAccessId('delivery', id)) return undefined
  return { surface: known, tenant, endpointId, id }
}
