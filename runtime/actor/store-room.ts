/**
 * The room that each tenant's sessions and tasks use in the store: their views, the last entries of
 * their logs, and the steps and pictures of tasks. Counted from the views that this gateway follows
 * anyway, from its start, so that it costs no reads.
 */
import { ServiceError } from '../../proto/errors.ts'
import { buckets, streams } from '../../proto/subjects.ts'
import type { Clock } from '../lib/clock.ts'
import { storeLimits } from '../store/limits.ts'
import { bucketStream } from '../store/nats/stream-plan.ts'
import type { TenantShares } from '../store/tenant-shares.ts'
import type { WatchedMap } from '../store/watched-map.ts'
import type { BytesByStream } from './actor-kind.ts'
import { actorLimits } from './limits.ts'
import type { ViewRecord } from './views.ts'

export interface StoreRoomDeps {
  readonly viewMap: Pick<WatchedMap<ViewRecord>, 'onChange' | 'entries'>
  readonly shares: Pick<TenantShares, 'bytesOf'>
  /** What archived actors of a tenant, ended since then, have stored in other streams. */
  readonly archivedBytes: (tenant: string, sinceMs: number) => BytesByStream
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
}

interface Counted {
  readonly bytes: BytesByStream
  /** When the server removes its steps and pictures for their age; absent while it is alive. */
  readonly elsewhereUntilMs?: number
}

const expiring: ReadonlySet<string> = new Set([streams.steps, streams.pictures])

export class StoreRoom {
  readonly #deps: StoreRoomDeps
  readonly #byKey = new Map<string, Counted>()
  readonly #byTenant = new Map<string, Map<string, number>>()
  /** With the monotonic time at which it was read. */
  readonly #archived = new Map<string, { readonly bytes: BytesByStream; readonly atMs: number }>()
  #nextExpiryMs = 0

  constructor(deps: StoreRoomDeps) {
    this.#deps = deps
    deps.viewMap.onChange((key, record) => this.#count(key, record))
    for (const [key, record] of deps.viewMap.entries()) this.#count(key, record)
  }

  /** Throws `storage_full` if the tenant has used its share of a stream. */
  admit(tenant: string): void {
    if (!this.#isFull(tenant)) return
    this.#expire()
    if (!this.#isFull(tenant)) return
    const text =
      'Your sessions and tasks, and the steps and pictures of ended ones, fill your share of the ' +
      'store; the oldest are removed after a time. The operator can lower RETENTION_DAYS or ' +
      'RETENTION_PER_TENANT, or raise STORE_MAX_MIB.'
    throw new ServiceError('storage_full', text)
  }

  #isFull(tenant: string): boolean {
    const used = new Map(this.#byTenant.get(tenant))
    for (const [stream, bytes] of Object.entries(this.#archivedOf(tenant))) {
      used.set(stream, (used.get(stream) ?? 0) + bytes)
    }
    for (const [stream, bytes] of used) {
      if (bytes >= this.#deps.shares.bytesOf(tenant, stream)) return true
    }
    return false
  }

  #archivedOf(tenant: string): BytesByStream {
    const { clock, archivedBytes } = this.#deps
    const known = this.#archived.get(tenant)
    if (known && clock.monotonic() < known.atMs + actorLimits.roomExpiryMs) return known.bytes
    const bytes = archivedBytes(tenant, clock.now() - storeLimits.stepsKeptMs)
    this.#archived.set(tenant, { bytes, atMs: clock.monotonic() })
    return bytes
  }

  /** Now and then, and only if a tenant is full, because it looks at all that is counted. */
  #expire(): void {
    const { clock } = this.#deps
    if (clock.monotonic() < this.#nextExpiryMs) return
    this.#nextExpiryMs = clock.monotonic() + actorLimits.roomExpiryMs
    for (const [key, counted] of this.#byKey) {
      if ((counted.elsewhereUntilMs ?? Infinity) > clock.now()) continue
      const left = Object.entries(counted.bytes).filter(([stream]) => !expiring.has(stream))
      this.#replace(key, { bytes: Object.fromEntries(left) })
    }
  }

  #count(key: string, record: ViewRecord | undefined): void {
    this.#replace(key, record && countedOf(record))
  }

  #replace(key: string, now: Counted | undefined): void {
    const tenant = key.split('.')[1] ?? ''
    const used = this.#byTenant.get(tenant) ?? new Map<string, number>()
    const add = (counted: Counted | undefined, sign: 1 | -1) => {
      for (const [stream, bytes] of Object.entries(counted?.bytes ?? {})) {
        used.set(stream, (used.get(stream) ?? 0) + sign * bytes)
      }
    }
    add(this.#byKey.get(key), -1)
    add(now, 1)
    if (now) this.#byKey.set(key, now)
    else this.#byKey.delete(key)
    if ([...used.values()].some((bytes) => bytes > 0)) this.#byTenant.set(tenant, used)
    else this.#byTenant.delete(tenant)
  }
}

function countedOf({ view, viewBytes = 0, entryBytes = 0, elsewhereBytes }: ViewRecord): Counted {
  const bytes = {
    [bucketStream(buckets.views)]: viewBytes,
    [streams.log]: entryBytes,
    ...elsewhereBytes,
  }
  if (view.endedAtMs === undefined || elsewhereBytes === undefined) return { bytes }
  return { bytes, elsewhereUntilMs: view.endedAtMs + storeLimits.stepsKeptMs }
}
