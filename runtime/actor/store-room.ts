/**
 * The room that each tenant's sessions and tasks use in the store: their views, and the last entries
 * of their logs. Counted from the views that this gateway follows anyway, so that it costs no reads.
 */
import { ServiceError } from '../../proto/errors.ts'
import { buckets, streams } from '../../proto/subjects.ts'
import type { ViewRecord } from './views.ts'
import { bucketStream } from '../store/nats/stream-plan.ts'
import type { TenantShares } from '../store/tenant-shares.ts'
import type { WatchedMap } from '../store/watched-map.ts'

export interface StoreRoomDeps {
  readonly viewMap: Pick<WatchedMap<ViewRecord>, 'onChange' | 'entries'>
  readonly shares: Pick<TenantShares, 'bytesOf'>
}

interface UsedBytes {
  readonly views: number
  readonly logs: number
}

const none: UsedBytes = { views: 0, logs: 0 }
const parts = ['views', 'logs'] as const
const streamOf = { views: bucketStream(buckets.views), logs: streams.log }

export class StoreRoom {
  readonly #byKey = new Map<string, UsedBytes>()
  readonly #byTenant = new Map<string, UsedBytes>()
  readonly #shares: StoreRoomDeps['shares']

  constructor({ viewMap, shares }: StoreRoomDeps) {
    this.#shares = shares
    viewMap.onChange((key, record) => this.#count(key, record))
    for (const [key, record] of viewMap.entries()) this.#count(key, record)
  }

  /** Throws `storage_full` if the tenant has used its share. */
  admit(tenant: string): void {
    const used = this.#byTenant.get(tenant)
    if (
      !used ||
      !parts.some((part) => used[part] >= this.#shares.bytesOf(tenant, streamOf[part]))
    ) {
      return
    }
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
