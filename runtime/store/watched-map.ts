/**
 * A map that follows a bucket. The watch makes it fast; a periodic comparison with all entries
 * corrects what the watch has missed. An older revision never replaces a newer one.
 */
import type { Logger } from 'pino'
import type { Clock, Timer } from '../lib/clock.ts'
import { awaitStore } from './await-store.ts'
import { StoreUnavailable, type Bucket, type BucketChange, type BucketWatch } from './store.ts'
import { storeLimits } from './limits.ts'

type Listener<V> = (key: string, value: V | undefined) => void

interface Held<V> {
  readonly value: V
  readonly revision: number
}

export class WatchedMap<V> {
  readonly #bucket: Bucket
  readonly #decode: (bytes: Uint8Array) => V
  readonly #clock: Clock
  readonly #held = new Map<string, Held<V>>()
  readonly #listeners = new Set<Listener<V>>()
  /** Keys deleted during a comparison, which may have read them before. */
  #deleted: Map<string, number> | undefined
  #watch: BucketWatch | undefined
  #timer: Timer | undefined
  #stopped = false

  private constructor(bucket: Bucket, decode: (bytes: Uint8Array) => V, clock: Clock) {
    this.#bucket = bucket
    this.#decode = decode
    this.#clock = clock
  }

  /** Resolves when the map contains everything in the bucket; waits for a store that is slow. */
  static async open<V>(
    bucket: Bucket,
    decode: (bytes: Uint8Array) => V,
    clock: Clock,
    log?: Logger,
  ): Promise<WatchedMap<V>> {
    const map = new WatchedMap(bucket, decode, clock)
    map.#watch = await awaitStore({ clock, log }, 'the records that it follows', () =>
      bucket.watch((change) => map.#apply(change)),
    )
    log?.info({ records: map.size }, 'the records that this process follows are in memory')
    map.#schedule(storeLimits.watchedMapCheckMs)
    return map
  }

  get size(): number {
    return this.#held.size
  }

  get(key: string): V | undefined {
    return this.#held.get(key)?.value
  }

  *entries(): Iterable<[string, V]> {
    for (const [key, { value }] of this.#held) yield [key, value]
  }

  /** Calls back for each change until the returned function is called. */
  onChange(listener: Listener<V>): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
    this.#watch?.stop()
    this.#listeners.clear()
  }

  /** Compares with the bucket and corrects differences. */
  async check(): Promise<void> {
    const before = new Map([...this.#held].map(([key, { revision }]) => [key, revision]))
    this.#deleted = new Map()
    try {
      for await (const entry of this.#bucket.scan()) {
        before.delete(entry.key)
        this.#apply({ type: 'put', ...entry })
      }
      for (const [key, revision] of before) {
        if (this.#held.get(key)?.revision === revision) this.#remove(key)
      }
    } catch (error) {
      // The store is unavailable; the watch catches up later, and the next comparison follows.
      if (!(error instanceof StoreUnavailable)) throw error
    } finally {
      this.#deleted = undefined
    }
  }

  #schedule(waitMs: number): void {
    if (this.#stopped) return
    this.#timer = this.#clock.timer(waitMs, () => void this.#turn())
  }

  /** The longer a comparison takes, the rarer it is, so that the store is not always being read. */
  async #turn(): Promise<void> {
    const begunMs = this.#clock.monotonic()
    await this.check()
    const tookMs = this.#clock.monotonic() - begunMs
    const { watchedMapCheckMs, watchedMapPausesPerCheck } = storeLimits
    this.#schedule(Math.max(watchedMapCheckMs, tookMs * watchedMapPausesPerCheck))
  }

  #apply(change: BucketChange): void {
    if (this.#stopped) return
    const { key, revision } = change
    const known = Math.max(this.#held.get(key)?.revision ?? 0, this.#deleted?.get(key) ?? 0)
    if (revision <= known) return
    if (change.type === 'put') {
      const value = this.#decode(change.value)
      this.#held.set(key, { value, revision })
      this.#notify(key, value)
    } else {
      this.#deleted?.set(key, revision)
      this.#remove(key)
    }
  }

  #remove(key: string): void {
    if (this.#held.delete(key)) this.#notify(key, undefined)
  }

  #notify(key: string, value: V | undefined): void {
    for (const listener of this.#listeners) listener(key, value)
  }
}
