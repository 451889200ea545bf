/**
 * Selects which stored records a returning reader still needs. Steps and states are numbered
 * separately.
 */
import type { StateRecord, TaskRecord } from '../../../proto/task/task.ts'

/** What a reader already has. */
export interface KnownRecord {
  /** The number of the last step it has. */
  readonly step: number
  /** The number of the last state it has; absent: all states written before its last step. */
  readonly state?: number
  /** The sequence in the stream at which to start reading. */
  readonly fromSeq?: number
}

export class RecordBacklog {
  readonly fromSeq: number
  readonly #known: KnownRecord
  /**
   * States that may have been written before the reader's last step; the next step will show it.
   */
  #held: StateRecord[] = []

  constructor(known: KnownRecord) {
    this.#known = known
    this.fromSeq = known.fromSeq ?? 0
  }

  /** Returns the records to send, now that `record` was read. */
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

  /** Returns the records that were held back until the end. */
  rest(): readonly TaskRecord[] {
    return this.#held.splice(0)
  }
}
