/**
 * The bytes that a client's records use in their bucket, with their past values, which are estimated
 * from the last one. Those of a deleted record count until they are surely removed.
 */
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import type { RevisionedRecord } from '../record-store.ts'

interface PastValues {
  readonly untilMs: number
  readonly bytes: number
}

export class RecordBytes {
  readonly #byId = new Map<string, number>()
  /** Of deleted records, in the order of their deletion. */
  #past: PastValues[] = []
  #sum = 0

  at(nowMs: number): number {
    const left = this.#past.findIndex(({ untilMs }) => untilMs > nowMs)
    const over = this.#past.splice(0, left === -1 ? this.#past.length : left)
    for (const { bytes } of over) this.#sum -= bytes
    return this.#sum
  }

  set({ record, bytes: { byteLength } }: Pick<RevisionedRecord, 'record' | 'bytes'>): void {
    const { id, version, deletedAtMs, pastBytes = 0 } = record
    const values = deletedAtMs === undefined ? Math.min(version, limits.recordHistory) : 1
    this.#replace(id, byteLength * values)
    if (deletedAtMs === undefined) return
    this.#past.push({ untilMs: deletedAtMs + limits.pastCountedMs, bytes: pastBytes })
    this.#sum += pastBytes
  }

  drop(id: string): void {
    this.#replace(id, 0)
  }

  #replace(id: string, bytes: number): void {
    this.#sum += bytes - (this.#byId.get(id) ?? 0)
    if (bytes > 0) this.#byId.set(id, bytes)
    else this.#byId.delete(id)
  }
}
