/**
 * The room that each tenant's records of requests with an `Idempotency-Key` use. Counted where they
 * are written, in hours, because records expire after a day. Each gateway has its part of the room
 * and starts with none used: if it is wrong about the others, the bucket refuses new records but
 * loses none.
 */
import { LRUCache } from 'lru-cache'
import { limits } from '../../../proto/limits.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import { routingLimits } from '../limits.ts'

export interface AnswerRoomOptions {
  readonly clock: Pick<Clock, 'now'>
  /** The room of one tenant at this gateway. */
  readonly tenantBytes: () => number
}

const hourMs = 60 * 60_000
const hoursKept = limits.idempotencyKeptMs / hourMs

export class AnswerRoom {
  readonly #options: AnswerRoomOptions
  /** By tenant, then by the hour in which the records were written. */
  readonly #written = new LRUCache<string, Map<number, number>>({
    max: routingLimits.answerTenantsMax,
  })

  constructor(options: AnswerRoomOptions) {
    this.#options = options
  }

  isFull(tenant: string): boolean {
    const hours = this.#written.get(tenant)
    if (!hours) return false
    const oldest = this.#hour() - hoursKept
    for (const hour of hours.keys()) if (hour < oldest) hours.delete(hour)
    const used = [...hours.values()].reduce((sum, bytes) => sum + bytes, 0)
    return used >= this.#options.tenantBytes()
  }

  add(tenant: string, bytes: number): void {
    const hours = this.#written.get(tenant) ?? new Map<number, number>()
    const hour = this.#hour()
    hours.set(hour, (hours.get(hour) ?? 0) + bytes)
    this.#written.set(tenant, hours)
  }

  #hour(): number {
    return Math.floor(this.#options.clock.now() / hourMs)
  }
}
