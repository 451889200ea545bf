/** A bounded queue in which tenants take turns, regardless of how many items each has. */
export interface TenantQueueBounds {
  readonly jobs: number
  readonly jobsPerTenant: number
}

export class TenantQueue<T> {
  readonly #bounds: TenantQueueBounds
  /** The tenant that has waited longest is first. */
  readonly #waiting = new Map<string, T[]>()
  #servedLast: string | undefined
  #length = 0

  constructor(bounds: TenantQueueBounds) {
    this.#bounds = bounds
  }

  /** False if the queue is full. */
  add(tenant: string, item: T): boolean {
    const { jobs, jobsPerTenant } = this.#bounds
    const own = this.#waiting.get(tenant) ?? []
    if (this.#length >= jobs || own.length >= jobsPerTenant) return false
    this.#length++
    own.push(item)
    this.#waiting.set(tenant, own)
    return true
  }

  /** No tenant is served twice in a row while another one waits. */
  next(): T | undefined {
    const tenants = [...this.#waiting.keys()]
    const tenant = tenants.find((each) => each !== this.#servedLast) ?? tenants[0]
    if (tenant === undefined) return undefined
    const own = this.#waiting.get(tenant)!
    const item = own.shift()!
    this.#length--
    this.#servedLast = tenant
    // The tenant goes to the end of the order.
    this.#waiting.delete(tenant)
    if (own.length > 0) this.#waiting.set(tenant, own)
    return item
  }
}
