/**
 * Joins simultaneous reads without returning stale data: callers that come during a read share the
 * next one, because the running read may have missed a write that they know of.
 */
export class CoalescedReads<T> {
  readonly #read: (key: string) => Promise<T>
  readonly #lanes = new Map<string, Lane<T>>()

  constructor(read: (key: string) => Promise<T>) {
    this.#read = read
  }

  get(key: string): Promise<T> {
    const lane = this.#lanes.get(key)
    if (!lane) return this.#start(key)
    const start = () => this.#start(key)
    return (lane.next ??= lane.underWay.then(start, start))
  }

  #start(key: string): Promise<T> {
    const underWay = this.#read(key)
    const lane: Lane<T> = { underWay, next: undefined }
    this.#lanes.set(key, lane)
    const end = () => void (lane.next === undefined && this.#lanes.delete(key))
    underWay.then(end, end)
    return underWay
  }
}

interface Lane<T> {
  readonly underWay: Promise<T>
  next: Promise<T> | undefined
}
