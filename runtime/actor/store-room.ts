/**
 * The room that each tenant's sessions and tasks use in the store: their views, and the last entries
 * of their logs. Counted from the views that this gateway follows anyway, so that it costs no reads.
 */
import { ServiceError } from '../../proto/errors.ts'
import { buckets, streams } from '../../proto/subjects.ts'
import type { ViewRecord } from './views.ts'
import { bucketStream, streamRoomBytes } from '../store/nats/stream-plan.ts'
import type { WatchedMap } from '../store/watched-map.ts'

export interface StoreRoomDeps {
  readonly viewMap: Pick<WatchedMap<ViewRecord>, 'onChange' | 'entries'>
  readonly config: { readonly STORE_MAX_MIB: number }
}

interface UsedBytes {
  readonly views: number
  readonly logs: number
}

const none: UsedBytes = { views: 0, logs: 0 }

export class StoreRoom {
  readonly #byKey = new Map<string, UsedBytes>()
  readonly #byTenant = new Map<string, UsedBytes>()
  readonly #room: UsedBytes

  constructor({ viewMap, config }: StoreRoomDeps) {
    const roomOf = (name: string) => streamRoomBytes(name, config.STORE_MAX_MIB)
    this.#room = { views: roomOf(bucketStream(buckets.views)), logs: roomOf(streams.log) }
    viewMap.onChange((key, record) => this.#count(key, record))
    for (const [key, record] of viewMap.entries()) this.#count(key, record)
  }

  /** Throws `storage_full` if the tenant uses `percent` of the room or more. */
  admit(tenant: string, percent: number): void {
    const used = this.#byTenant.get(tenant) ?? none
    const isOver = (name: keyof UsedBytes) => used[name] >= (this.#room[name] * percent) / 100
    if (!isOver('views') && !isOver('logs')) return
    const text =
      'Your ended sessions and tasks fill your share of the store; the oldest are removed after ' +
      'a time. The operator can lower RETENTION_DAYS or RETENTION_PER_TENANT, or raise ' +
      'STORE_MAX_MIB.'
    throw new ServiceError('storage_full', text)
  }

  #count(key: string, record: ViewRecord | undefined): void {
    const tenant = key.split('.')[1] ?? ''
    const before = this.#byKey.get(key) ?? none
    const now = record ? { views: record.viewBytes ?? 0, logs: record.entryBytes ?? 0 } : none
    if (record) this.#byKey.set(key, now)
    else this.#byKey.delete(key)
    const { views, logs } = this.#byTenant.get(tenant) ?? none
    const sum = { views: views - before.views + now.views, logs: logs - before.logs + now.logs }
    if (sum.views > 0 || sum.logs > 0) this.#byTenant.set(tenant, sum)
    else this.#byTenant.delete(tenant)
  }
}
