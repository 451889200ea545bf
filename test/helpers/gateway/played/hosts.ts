/** The processes of a service, as a watch would deliver their records. */
import type { HostRecord } from '../../../../proto/host.ts'

export class PlayedHosts {
  readonly #records = new Map<string, HostRecord>()
  readonly #listeners = new Set<(record: HostRecord) => void>()

  constructor(records: readonly HostRecord[] = []) {
    for (const record of records) this.#records.set(record.incarnation, record)
  }

  hosts(): readonly HostRecord[] {
    return [...this.#records.values()]
  }

  get(incarnation: string): HostRecord | undefined {
    return this.#records.get(incarnation)
  }

  clockSkews() {
    return []
  }

  onChange(listener: (record: HostRecord) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  onDead(listener: (record: HostRecord) => void): () => void {
    return this.onChange((record) => record.state === 'dead' && listener(record))
  }

  set(record: HostRecord): void {
    this.#records.set(record.incarnation, record)
    for (const listener of this.#listeners) listener(record)
  }
}
