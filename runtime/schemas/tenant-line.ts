/** A bounded line in which tenants take turns, however many things one of them has in it. */
export interface LineBounds {
  readonly jobs: number
  readonly jobsPerTenant: number
}

export class TenantLine<T> {
  readonly #bounds: LineBounds
  /** Who has waited longest for a turn stands first. */
  readonly #waiting = new Map<string, T[]>()
  #servedLast: string | undefined
  #length = 0

  constructor(bounds: LineBounds) {
    this.#bounds = bounds
  }

  /** False when there is no place for it. */
  add(tenant: string, item: T): boolean {
    const { jobs, jobsPerTenant } = this.#bounds
    const own = this.#waiting.get(tenant) ?? []
    if (this.#length >= jobs || own.length >= jobsPerTenant) return false
    this.#length++
    own.push(item)
    this.#waiting.set(tenant, own)
    return true
  }

  /** Nobody is served twice in a row while another waits. */
  next(): T | undefined {
    const tenants = [...this.#waiting.keys()]
    const tenant = tenants.find((each) => each !== this.#servedLast) ?? tenants[0]
    if (tenant === undefined) return undefined
    const own = this.#waiting.get(tenant)!
    const item = own.shift()!
    this.#length--
    this.#servedLast = tenant
    // Behind everybody else who waits.
    this.#waiting.delete(tenant)
    if (own.length > 0) this.#waiting.set(tenant, own)
    return item
  }
}
