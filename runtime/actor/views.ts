/**
 * Public views: one record per actor in KV `views`, written by its owner after each entry and read
 * by all lists. A view may lag behind its actor but never goes back: it contains the number of its
 * entry.
 */
import type { Logger } from 'pino'
import type { ActorView } from '../../proto/actor.ts'
import { decode, encode } from '../../proto/codec.ts'
import { buckets, viewKey } from '../../proto/subjects.ts'
import { backoffMs, sleep, type Clock } from '../lib/clock.ts'
import type { BytesByStream } from './actor-kind.ts'
import { GroupedMap } from '../lib/grouped-map.ts'
import { StoreConflict, type Bucket, type Store } from '../store/store.ts'
import { WatchedMap } from '../store/watched-map.ts'
import { actorLimits } from './limits.ts'

export interface ViewRecord<V extends ActorView = ActorView> {
  /** Number of the log entry that this view shows. */
  readonly n: number
  readonly view: V
  /** Size of that entry; absent in records of older versions. */
  readonly entryBytes?: number
  /** What the actor has stored in other streams, by stream; see `elsewhereBytes` of its kind. */
  readonly elsewhereBytes?: BytesByStream
  /** Size of this record in the bucket; only in a map of {@link watchViews}, never stored. */
  readonly viewBytes?: number
}

export interface ViewPublisherOptions {
  readonly views: Bucket
  readonly kind: string
  readonly clock: Clock
  readonly random: () => number
  readonly log: Logger
}

/**
 * Publishes the newest view of one actor: while one is being written, those in between are skipped.
 */
export class ViewPublisher {
  readonly #options: ViewPublisherOptions
  readonly #closing = new AbortController()
  #revision: number | undefined
  #next: ViewRecord | undefined
  #publishing: Promise<void> | undefined

  constructor(options: ViewPublisherOptions) {
    this.#options = options
  }

  /** True while the public view does not show the last entry. */
  get isBehind(): boolean {
    return this.#next !== undefined || this.#publishing !== undefined
  }

  publish(record: ViewRecord): void {
    // Before an actor's first entry there is no view to replace.
    if (record.n === 1) this.#revision = 0
    this.#next = record
    this.#publishing ??= this.#drain()
  }

  /** Resolves when the last view is stored, or one more attempt has failed. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#publishing
  }

  /** Retries, because an ended actor may have no further entry that would publish its view. */
  async #drain(): Promise<void> {
    const { clock, random, log } = this.#options
    const { signal } = this.#closing
    // Entries often come in pairs (request, result): usually only the second view is needed.
    await sleep(clock, actorLimits.viewGatherMs, signal)
    for (let attempt = 1; this.#next; attempt++) {
      const record = this.#next
      this.#next = undefined
      try {
        await this.#put(record)
        attempt = 0
      } catch (error) {
        this.#revision = undefined
        this.#next ??= record
        if (signal.aborted || attempt >= actorLimits.viewAttempts) {
          log.warn({ err: error, id: record.view.id }, 'view not published')
          break
        }
        const { viewRetryMs, viewRetryMaxMs } = actorLimits
        await sleep(clock, backoffMs(attempt, viewRetryMs, viewRetryMaxMs, random()), signal)
      }
    }
    this.#publishing = undefined
  }

  async #put(record: ViewRecord): Promise<void> {
    const { views, kind } = this.#options
    const key = viewKey(kind, record.view.tenant, record.view.id)
    try {
      const revision = await this.#known(key, record.n)
      this.#revision =
        revision === 0
          ? await views.create(key, encode(record))
          : await views.update(key, encode(record), revision)
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error
      this.#revision = undefined
      const present = await views.get(key)
      if (present && decode<ViewRecord>(present.value).n >= record.n) return
      this.#next ??= record
    }
  }

  /** The revision to replace; 0 if there is no view yet. */
  async #known(key: string, n: number): Promise<number> {
    if (this.#revision !== undefined) return this.#revision
    const present = await this.#options.views.get(key)
    if (present && decode<ViewRecord>(present.value).n > n) throw new StoreConflict(key)
    return present?.revision ?? 0
  }
}

export function watchViews(
  views: Bucket,
  clock: Clock,
  log: Logger,
): Promise<WatchedMap<ViewRecord>> {
  const withSize = (bytes: Uint8Array): ViewRecord => ({
    ...decode<ViewRecord>(bytes),
    viewBytes: bytes.byteLength,
  })
  return WatchedMap.open<ViewRecord>(views, withSize, clock, log)
}

type ViewListener<V> = (view: V | undefined, id: string) => void

/** All views of one kind, kept up to date by a watch, for lists, limits and metrics. */
export class ViewIndex<V extends ActorView> {
  readonly #byId = new Map<string, V>()
  readonly #byTenant = new GroupedMap<V>()
  readonly #listeners = new Set<ViewListener<V>>()

  /** `map`: all views, see {@link watchViews}; indexes of several kinds share one. */
  constructor(map: WatchedMap<ViewRecord>, kind: string) {
    const prefix = `${kind}.`
    const apply = (key: string, record: ViewRecord | undefined) => {
      if (!key.startsWith(prefix)) return
      const [, tenant, id] = key.split('.') as [string, string, string]
      // The key contains the kind, so the type is known.
      this.#apply(tenant, id, record?.view as V | undefined)
    }
    map.onChange(apply)
    for (const [key, record] of map.entries()) apply(key, record)
  }

  get(id: string): V | undefined {
    return this.#byId.get(id)
  }

  /**
   * Adds a view that its actor has just returned, before the watch delivers it, so that the creator
   * of an object finds it in lists.
   */
  learn(view: V): void {
    if (!this.#byId.has(view.id)) this.#apply(view.tenant, view.id, view)
  }

  /** Oldest first: ids sort by creation. */
  list(tenant: string): V[] {
    return this.#byTenant.of(tenant)
  }

  all(): Iterable<V> {
    return this.#byId.values()
  }

  onChange(listener: ViewListener<V>): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #apply(tenant: string, id: string, view: V | undefined): void {
    if (view) {
      this.#byId.set(id, view)
      this.#byTenant.set(tenant, view)
    } else {
      this.#byId.delete(id)
      this.#byTenant.delete(tenant, id)
    }
    for (const listener of this.#listeners) listener(view, id)
  }
}

/**
 * The stored views of a kind, for a process without an index; without a tenant, those of all
 * tenants.
 */
export async function storedViews<V extends ActorView>(
  store: Pick<Store, 'bucket'>,
  kind: string,
  tenant?: string,
): Promise<readonly V[]> {
  const views: V[] = []
  const prefix = tenant === undefined ? `${kind}.` : viewKey(kind, tenant, '')
  for await (const { value } of store.bucket(buckets.views).scan(prefix)) {
    views.push(decode<ViewRecord<V>>(value).view)
  }
  return views
}
