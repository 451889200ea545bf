/**
 * A queue of claimants, served round robin by tenant and in order within a tenant. Each leaves
 * once: with a browser, or with an error.
 */
import type { ServiceError } from '../../proto/errors.ts'
import type { Clock, Timer } from '../../runtime/lib/clock.ts'
import { groupBy } from '../../runtime/lib/group-by.ts'
import type { BrowserShape } from '../browser/shape.ts'

export interface QueuedClaim<T> {
  readonly shape: BrowserShape
  readonly shapeKey: string
  readonly tenant: string
  readonly calmMs: number
  readonly resolve: (value: T) => void
  readonly reject: (error: ServiceError) => void
}

export class WaitQueue<T> {
  readonly #clock: Clock
  readonly #waiting = new Map<QueuedClaim<T>, Timer>()
  /** Tenants that were served while others waited, in the order of their last turn. */
  readonly #served = new Set<string>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get length(): number {
    return this.#waiting.size
  }

  inOrder(): readonly QueuedClaim<T>[] {
    return roundRobin([...this.#waiting.keys()], this.#served)
  }

  /** `overdue` is called once if the claimant is still waiting after `waitMs`. */
  join(claimant: QueuedClaim<T>, waitMs: number, overdue: () => void): void {
    this.#waiting.set(claimant, this.#clock.timer(waitMs, overdue))
  }

  serve(claimant: QueuedClaim<T>, value: T): void {
    if (!this.#leave(claimant)) return
    this.#served.delete(claimant.tenant)
    // When the queue is empty, earlier turns no longer matter.
    if (this.#waiting.size === 0) this.#served.clear()
    else this.#served.add(claimant.tenant)
    claimant.resolve(value)
  }

  refuse(claimant: QueuedClaim<T>, why: ServiceError): void {
    if (this.#leave(claimant)) claimant.reject(why)
  }

  /**
   * The claimant that leaves a full queue for one more claimant of `tenant`: the last one of the
   * tenant with the longest queue, if that is longer than the queue of `tenant` would become.
   */
  displacedBy(tenant: string): QueuedClaim<T> | undefined {
    const queues = groupBy(this.#waiting.keys(), (claimant) => claimant.tenant)
    const [longest = []] = [...queues.values()].sort((a, b) => b.length - a.length)
    const own = queues.get(tenant)?.length ?? 0
    return longest.length > own + 1 ? longest.at(-1) : undefined
  }

  /** The position, starting at 1; 0 for a claimant that has left. */
  place(claimant: QueuedClaim<T>): number {
    return this.inOrder().indexOf(claimant) + 1
  }

  #leave(claimant: QueuedClaim<T>): boolean {
    this.#waiting.get(claimant)?.cancel()
    return this.#waiting.delete(claimant)
  }
}

/**
 * Interleaves tenants: each has one place per round; tenants that were not served yet come first.
 */
function roundRobin<C extends { readonly tenant: string }>(
  waiting: readonly C[],
  served: ReadonlySet<string>,
): readonly C[] {
  const byTenant = groupBy(waiting, ({ tenant }) => tenant)
  const turns = [...[...byTenant.keys()].filter((tenant) => !served.has(tenant)), ...served]
  const queues = turns.map((tenant) => byTenant.get(tenant) ?? [])
  const rounds = Math.max(0, ...queues.map(({ length }) => length))
  const places = Array.from({ length: rounds }, (_, round) => queues.map((queue) => queue[round]))
  return places.flat().filter((claimant) => claimant !== undefined)
}
