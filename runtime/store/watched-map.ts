/**
 * A map that follows a bucket by a watch, which is confirmed at an interval. An older revision never
 * replaces a newer one. A value that cannot be read is left out, so it concerns nobody but its key.
 */
import type { Logger } from 'pino'
import type { Clock, Timer } from '../lib/clock.ts'
import { awaitStore } from './await-store.ts'
import { ConfirmedWatch, type BucketFollower } from './confirmed-watch.ts'
import { StoreUnavailable, type Bucket, type BucketChange } from './store.ts'
import { storeLimits } from './limits.ts'

type Listener<V> = (key: string, value: V | undefined) => void

interface Held<V> {
  readonly value: V
  revision: number
}

export class WatchedMap<V> {
  readonly #decode: (bytes: Uint8Array) => V
  readonly #clock: Clock
  readonly #log: Logger | undefined
  readonly #held = new Map<string, Held<V>>()
  readonly #listeners = new Set<Listener<V>>()
  #watch: ConfirmedWatch | undefined
  #timer: Timer | undefined
  #stopped = false

  private constructor(decode: (bytes: Uint8Array) => V, clock: Clock, log: Logger | undefined) {
    this.#decode = decode
    this.#clock = clock
    this.#log = log
  }

  /** Resolves when the map contains everything in the bucket; waits for a store that is slow. */
  static async open<V>(
    bucket: Bucket,
    decode: (bytes: Uint8Array) => V,
    clock: Clock,
    log?: Logger,
  ): Promise<WatchedMap<V>> {
    const map = new WatchedMap(decode, clock, log)
    const follower: BucketFollower = {
      apply: (change) => map.#apply(change),
      keys: () => map.#held.keys(),
      forgetRevisions: () => map.#forgetRevisions(),
      remove: (key) => map.#remove(key),
    }
    map.#watch = await awaitStore({ clock, log }, 'the records that it follows', () =>
      ConfirmedWatch.open({ bucket, follower, clock, log }),
    )
    log?.info({ records: map.size }, 'the records that this process follows are in memory')
    map.#schedule()
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

  /** Resolves when the map has every change that the store had at the call, or is unavailable. */
  async check(): Promise<void> {
    try {
      await this.#watch?.confirm()
    } catch (error) {
      // The watch catches up later, and the next check follows.
      if (!(error instanceof StoreUnavailable)) throw error
    }
  }

  #schedule(): void {
    if (this.#stopped) return
    this.#timer = this.#clock.timer(storeLimits.watchedMapCheckMs, () => {
      void this.check().finally(() => this.#schedule())
    })
  }

  #apply(change: BucketChange): void {
    if (this.#stopped) return
    const { key, revision } = change
    if (revision <= (this.#held.get(key)?.revision ?? 0)) return
    const value = change.type === 'put' ? this.#read(key, change.value) : undefined
    if (value === undefined) return this.#remove(key)
    this.#held.set(key, { value, revision })
    this.#notify(key, value)
  }

  #read(key: string, bytes: Uint8Array): V | undefined {
    try {
      return this.#decode(bytes)
    } catch (error) {
      this.#log?.error({ err: error, key }, 'a record cannot be read and is left out')
      return undefined
    }
  }

  #forgetRevisions(): void {
    for (const held of this.#held.values()) held.revision = 0
  }

  #remove(key: string): void {
    if (this.#held.delete(key)) this.#notify(key, undefined)
  }

  #notify(key: string, value: V | undefined): void {
    for (const listener of this.#listeners) listener(key, value)
  }
}
