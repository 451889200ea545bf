/** What a reader who comes back still wants of what is kept. Steps and states have numbers of their own. */
import type { StateRecord, TaskRecord } from '../../proto/task.ts'

/** What a reader has. */
export interface Known {
  /** Number of the last step it has. */
  readonly step: number
  /** Number of the last state it has; absent: all that were written before its last step. */
  readonly state?: number
  /** Nothing before this place of the stream is wanted. */
  readonly fromSeq?: number
}

export class Backlog {
  readonly fromSeq: number
  readonly #known: Known
  /** States of which it is not known yet whether they were written before the reader's last step. */
  #held: StateRecord[] = []

  constructor(known: Known) {
    this.#known = known
    this.fromSeq = known.fromSeq ?? 0
  }

  /** What may be told, now that `record` was read. */
  wanted(record: TaskRecord): readonly TaskRecord[] {
    const { step, state } = this.#known
    if (record.type === 'state') {
      if (state !== undefined) return record.n > state ? [record] : []
      this.#held.push(record)
      return []
    }
    if (record.n > step) return [...this.rest(), record]
    this.#held = []
    return []
  }

  /** What was held back to the end. */
  rest(): readonly TaskRecord[] {
    return this.#held.splice(0)
  }
}
