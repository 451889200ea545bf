/**
 * Which deliveries may be sent now: each endpoint at its own rate and a few at once, each client a
 * share of all. A dead receiver delays only its own lane.
 */
import { webhookLimits as limits } from '../../../proto/access/webhooks/webhook-limits.ts'

export interface DueDelivery {
  readonly id: string
  /** A group with one rate and a limit of parallel requests: an endpoint's. */
  readonly lane: string
  /** The tenant whose share it counts against. */
  readonly tenant: string
  readonly dueMs: number
}

interface Lane {
  readonly name: string
  readonly tenant: string
  /** Sorted by `dueMs`. */
  readonly waiting: DueDelivery[]
  sending: number
  tokens: number
  tokensAtMs: number
  slowedUntilMs: number
}

export interface QueueOptions {
  /** 0: nothing is sent for now. Infinity: its rate is limited elsewhere. */
  readonly rateOf: (lane: string) => number
  readonly sendingAtOnce?: number
}

export class DueQueue {
  readonly #rateOf: (lane: string) => number
  readonly #most: number
  readonly #mostPerTenant: number
  readonly #lanes = new Map<string, Lane>()
  readonly #sendingByTenant = new Map<string, number>()
  #sending = 0

  constructor({ rateOf, sendingAtOnce = limits.sendingAtOnce }: QueueOptions) {
    this.#rateOf = rateOf
    this.#most = sendingAtOnce
    this.#mostPerTenant = Math.max(1, Math.floor(sendingAtOnce * limits.clientShare))
  }

  get sending(): number {
    return this.#sending
  }

  add(due: DueDelivery): void {
    const { waiting } = this.#lane(due)
    let at = waiting.length
    while (at > 0 && waiting[at - 1]!.dueMs > due.dueMs) at--
    waiting.splice(at, 0, due)
  }

  /** Removes everything that waits. */
  clear(): void {
    for (const lane of this.#lanes.values()) lane.waiting.length = 0
  }

  /** The receiver is overloaded: its rate is halved for a while. */
  slow(name: string, nowMs: number): void {
    const lane = this.#lanes.get(name)
    if (lane) lane.slowedUntilMs = nowMs + limits.slowedMs
  }

  /** Takes what may be sent now; it counts as being sent until `done`. */
  take(nowMs: number): DueDelivery[] {
    const taken: DueDelivery[] = []
    // One of each lane in turn, so that a long lane does not delay the others.
    for (let found = true; found && this.#sending < this.#most;) {
      found = false
      for (const lane of [...this.#lanes.values()]) {
        if (this.#sending >= this.#most) break
        const due = this.#next(lane, nowMs)
        if (!due) continue
        found = true
        taken.push(due)
        // The lane moves to the end for the next round and the next call.
        this.#lanes.delete(lane.name)
        this.#lanes.set(lane.name, lane)
      }
    }
    return taken
  }

  done({ lane: name, tenant }: DueDelivery): void {
    const lane = this.#lanes.get(name)
    if (lane) lane.sending--
    this.#sending--
    const left = (this.#sendingByTenant.get(tenant) ?? 1) - 1
    if (left > 0) this.#sendingByTenant.set(tenant, left)
    else this.#sendingByTenant.delete(tenant)
  }

  /** For an endpoint that is gone for good. */
  forget(name: string): void {
    const lane = this.#lanes.get(name)
    if (lane && lane.sending === 0 && lane.waiting.length === 0) this.#lanes.delete(name)
  }

  /** When something else may be sent; undefined if only `done` makes room. */
  nextMs(nowMs: number): number | undefined {
    if (this.#sending >= this.#most) return undefined
    let next: number | undefined
    for (const lane of this.#lanes.values()) {
      const [first] = lane.waiting
      if (!first || this.#isFull(lane)) continue
      const rate = this.#rate(lane, nowMs)
      if (rate === 0) continue
      const tokenMs = nowMs + ((1 - this.#tokens(lane, nowMs)) / rate) * 1_000
      const atMs = Math.max(first.dueMs, tokenMs)
      if (next === undefined || atMs < next) next = atMs
    }
    return next
  }

  #next(lane: Lane, nowMs: number): DueDelivery | undefined {
    const [first] = lane.waiting
    if (!first || first.dueMs > nowMs || this.#isFull(lane)) return undefined
    if (this.#rate(lane, nowMs) === 0) return undefined
    const tokens = this.#tokens(lane, nowMs)
    if (tokens < 1) return undefined
    lane.tokens = tokens - 1
    lane.tokensAtMs = nowMs
    lane.sending++
    lane.waiting.shift()
    this.#sending++
    this.#sendingByTenant.set(lane.tenant, (this.#sendingByTenant.get(lane.tenant) ?? 0) + 1)
    return first
  }

  /** True if the lane must wait until one of its own or its client's requests has finished. */
  #isFull({ sending, tenant }: Lane): boolean {
    if (sending >= limits.sendingPerEndpoint) return true
    return (this.#sendingByTenant.get(tenant) ?? 0) >= this.#mostPerTenant
  }

  #rate(lane: Lane, nowMs: number): number {
    const rate = this.#rateOf(lane.name)
    return nowMs < lane.slowedUntilMs ? rate / 2 : rate
  }

  /** Token bucket with the capacity of one second. */
  #tokens({ tokens, tokensAtMs, ...lane }: Lane, nowMs: number): number {
    const rate = this.#rate({ tokens, tokensAtMs, ...lane }, nowMs)
    if (rate === Infinity) return 1
    return Math.min(Math.max(1, rate), tokens + (Math.max(0, nowMs - tokensAtMs) * rate) / 1_000)
  }

  #lane({ lane: name, tenant }: DueDelivery): Lane {
    const known = this.#lanes.get(name)
    if (known) return known
    const rate = this.#rateOf(name)
    const tokens = Number.isFinite(rate) ? Math.max(1, rate) : 1
    const lane: Lane = {
      ...{ name, tenant, waiting: [], sending: 0 },
      ...{ tokens, tokensAtMs: 0, slowedUntilMs: 0 },
    }
    this.#lanes.set(name, lane)
    return lane
  }
}
