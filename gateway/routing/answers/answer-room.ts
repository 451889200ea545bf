/**
 * The room that each tenant's records of requests with an `Idempotency-Key` use, in hours, because
 * records expire after a day. Each gateway reads the records when it starts and follows those of all
 * gateways, so a restart forgets none, and a tenant cannot use its share once for each gateway.
 */
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { decode } from '../../../proto/codec.ts'
import { limits } from '../../../proto/limits.ts'
import { awaitStore } from '../../../runtime/store/await-store.ts'
import type {
  Bucket,
  BucketChange,
  BucketEntry,
  BucketWatch,
} from '../../../runtime/store/store.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import { routingLimits } from '../limits.ts'
import type { KeptRecord } from './kept-record.ts'

export interface AnswerRoomOptions {
  readonly clock: Clock
  readonly log: Logger
  readonly shareBytes: (tenant: string) => number
}

const hourMs = 60 * 60_000
const hoursKept = limits.idempotencyKeptMs / hourMs

export class AnswerRoom {
  readonly #options: AnswerRoomOptions
  /** By tenant, then by the hour in which the records were written. */
  readonly #written = new LRUCache<string, Map<number, number>>({
    max: routingLimits.answerTenantsMax,
  })
  #watch: BucketWatch | undefined

  constructor(options: AnswerRoomOptions) {
    this.#options = options
  }

  /** Resolves when all stored records are counted; waits for a store that is slow. */
  async follow(bucket: Pick<Bucket, 'watch'>): Promise<void> {
    this.#watch = await awaitStore(this.#options, 'the answers to repeated requests', () => {
      this.#written.clear()
      return bucket.watch((change) => this.#count(change))
    })
  }

  stop(): void {
    this.#watch?.stop()
  }

  isFull(tenant: string): boolean {
    const hours = this.#written.get(tenant)
    if (!hours) return false
    const oldest = this.#hourOf(this.#options.clock.now()) - hoursKept
    for (const hour of hours.keys()) if (hour < oldest) hours.delete(hour)
    const used = [...hours.values()].reduce((sum, bytes) => sum + bytes, 0)
    return used >= this.#options.shareBytes(tenant)
  }

  /**
   * Counts a record once it is settled: a running one is replaced soon. A key that is retried after
   * failures counts each time, which needs no memory of each key.
   */
  #count(change: BucketChange): void {
    if (change.type === 'delete') return
    const record = this.#read(change)
    if (record?.tenant === undefined || record.state === 'running') return
    const bytes = change.value.byteLength + routingLimits.recordOverheadBytes
    const hour = this.#hourOf(record.state === 'done' ? record.doneAtMs : this.#options.clock.now())
    const hours = this.#written.get(record.tenant) ?? new Map<number, number>()
    hours.set(hour, (hours.get(hour) ?? 0) + bytes)
    this.#written.set(record.tenant, hours)
  }

  /** A value that is no record, which another process wrote, must not end this one. */
  #read({ key, value }: BucketEntry): KeptRecord | undefined {
    try {
      return decode<KeptRecord>(value)
    } catch (err) {
      this.#options.log.warn({ err, key }, 'record of an Idempotency-Key cannot be read')
      return undefined
    }
  }

  #hourOf(atMs: number): number {
    return Math.floor(atMs / hourMs)
  }
}
