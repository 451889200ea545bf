/**
 * Indexes of the most recently used clients. Each is loaded on first use; together they stay below
 * a size in bytes, so a gateway's memory does not grow with the number of clients. Encoded values
 * are cached beside them within their own limit; others are read from the store.
 */
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { AreaKey } from '../../../../proto/access/areas/areas.ts'
import type { ClientId } from '../../../../proto/access/ids.ts'
import { accessLimits } from '../../../../proto/access/limits.ts'
import type { StoredRecord } from '../../../../proto/access/areas/record.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import { systemClock, type Clock } from '../../../lib/clock.ts'
import { ClientIndex } from './client-index.ts'
import { decodeRecord, type RevisionedRecord, type RecordStore } from '../record-store.ts'

export interface RecordIndexesDeps {
  readonly records: RecordStore
  readonly log: Logger
  readonly clock?: Clock
  readonly limits?: Partial<IndexLimits>
}

export interface IndexLimits {
  readonly recordIndexBytes: number
  readonly recordValuesHeldBytes: number
  readonly indexLoadsAtOnce: number
  readonly indexWaitMs: number
}

interface Held {
  readonly revision: number
  readonly bytes: Uint8Array
}

const putsPerSum = 256

/** Overhead of a cache entry besides its value and key. */
const heldBytes = 500

export class RecordIndexes {
  readonly #records: RecordStore
  readonly #log: Logger
  readonly #clock: Clock
  readonly #limits: IndexLimits
  /** Least recently used first. */
  readonly #clients = new Map<ClientId, ClientIndex>()
  readonly #loads = new Map<ClientId, Promise<void>>()
  readonly #values: LRUCache<string, Held>
  #putsSinceSum = 0

  constructor({ records, log, clock = systemClock, limits }: RecordIndexesDeps) {
    this.#records = records
    this.#log = log
    this.#clock = clock
    this.#limits = { ...accessLimits, ...limits }
    this.#values = new LRUCache({
      maxSize: this.#limits.recordValuesHeldBytes,
      sizeCalculation: ({ bytes }, key) => bytes.byteLength + 2 * key.length + heldBytes,
    })
  }

  /** For `/metrics`. `bytes` is the estimated size of the rows. */
  get figures() {
    const clients = [...this.#clients.values()]
    return {
      clients: clients.length,
      records: clients.reduce((sum, { size }) => sum + size, 0),
      bytes: this.#bytes(),
      valueBytes: this.#values.calculatedSize,
    }
  }

  /**
   * The complete index of a client. If loading takes longer than a request may wait, it continues
   * and `unavailable` (503) asks the caller to come back.
   */
  async of(client: ClientId): Promise<ClientIndex> {
    const known = this.#touch(client)
    if (known?.isReady) return known
    const load = this.#loads.get(client) ?? this.#startLoad(client)
    await this.#waitFor(load)
    const loaded = this.#clients.get(client)
    if (!loaded?.isReady) throw indexStartingError()
    return loaded
  }

  /** The current record or its tombstone, from the cache if it is there. */
  async read(client: ClientId, area: AreaKey, id: string): Promise<StoredRecord | undefined> {
    const index = this.#touch(client)
    const row = index?.isReady ? index.area(area).get(id) : undefined
    const held = row && this.#values.get(valueKey(client, id))
    if (held && held.revision === row.revision) return decodeRecord(held.bytes)
    // Another gateway may just have created it, so a missing row proves nothing.
    const found = await this.#records.get(client, area, id)
    if (found) this.#clients.get(client)?.put(found)
    if (found && row && found.revision === row.revision) this.#hold(found)
    return found?.record
  }

  /**
   * Number of a client's records including tombstones; undefined if its index is not loaded here.
   */
  sizeOf(client: ClientId): number | undefined {
    const index = this.#clients.get(client)
    return index?.isReady ? index.size : undefined
  }

  /** What a client's records use in the store; undefined if its index is not loaded here. */
  storedBytesOf(client: ClientId): number | undefined {
    const index = this.#clients.get(client)
    return index?.isReady ? index.storedBytes(this.#clock.now()) : undefined
  }

  /** Adds what this process has just written. */
  put(held: RevisionedRecord): void {
    this.#clients.get(held.record.client)?.put(held)
  }

  stop(): void {
    for (const index of this.#clients.values()) index.stop()
    this.#clients.clear()
    this.#values.clear()
  }

  #touch(client: ClientId): ClientIndex | undefined {
    const index = this.#clients.get(client)
    if (!index) return undefined
    this.#clients.delete(client)
    this.#clients.set(client, index)
    return index
  }

  #startLoad(client: ClientId): Promise<void> {
    const load = this.#load(client).finally(() => this.#loads.delete(client))
    this.#loads.set(client, load)
    // Callers that still wait get the failure; for those that left, it must not be unhandled.
    load.catch(() => undefined)
    return load
  }

  async #load(client: ClientId): Promise<void> {
    const others = () => [...this.#loads].filter(([one]) => one !== client)
    while (others().length >= this.#limits.indexLoadsAtOnce) {
      await Promise.race(others().map(([, load]) => load.catch(() => undefined)))
    }
    const index = new ClientIndex(client, {
      records: this.#records,
      log: this.#log,
      onHeld: (held) => {
        this.#hold(held)
        // Only now and then, because it sums up all indexes and a few records more do no harm.
        if (++this.#putsSinceSum === putsPerSum) this.#makeRoom(client)
      },
    })
    this.#clients.set(client, index)
    try {
      await index.load()
      this.#makeRoom(client)
    } catch (error) {
      index.stop()
      if (this.#clients.get(client) === index) this.#clients.delete(client)
      throw error
    }
  }

  async #waitFor(load: Promise<void>): Promise<void> {
    let giveUp: { cancel(): void } | undefined
    const late = new Promise<never>((_, reject) => {
      giveUp = this.#clock.timer(this.#limits.indexWaitMs, () => reject(indexStartingError()))
    })
    try {
      await Promise.race([load, late])
    } finally {
      giveUp?.cancel()
    }
  }

  #hold({ record, revision, bytes }: RevisionedRecord): void {
    const key = valueKey(record.client, record.id)
    if (record.deletedAtMs !== undefined) this.#values.delete(key)
    // Copied, because a view would keep the whole receive buffer alive.
    else this.#values.set(key, { revision, bytes: Uint8Array.from(bytes) })
  }

  #bytes(): number {
    let sum = 0
    for (const { bytes } of this.#clients.values()) sum += bytes
    return sum
  }

  #makeRoom(needing: ClientId): void {
    this.#putsSinceSum = 0
    let bytes = this.#bytes()
    for (const [client, index] of this.#clients) {
      if (bytes <= this.#limits.recordIndexBytes) return
      if (client === needing) continue
      bytes -= index.bytes
      index.stop()
      this.#clients.delete(client)
    }
  }
}

const valueKey = (client: ClientId, id: string) => `${client}.${id}`

function indexStartingError(): ServiceError {
  const message = 'The records of this client are being loaded; try again in a moment.'
  return new ServiceError('unavailable', message, { retry_after_seconds: 1 })
}
