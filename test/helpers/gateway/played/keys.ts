/** The keys of a service, as a watch would deliver them. */
import { newKey, type KeyRecord } from '../../../../proto/accounts/key.ts'
import type { KeySource } from '../../../../gateway/routing/auth/key-validity.ts'

type Listener = Parameters<KeySource['onChange']>[0]

export class PlayedKeys implements KeySource {
  readonly #records = new Map<string, KeyRecord>()
  readonly #listeners = new Set<Listener>()

  constructor(records: readonly KeyRecord[] = []) {
    for (const record of records) this.#records.set(record.id, record)
  }

  get(keyId: string): KeyRecord | undefined {
    return this.#records.get(keyId)
  }

  entries() {
    return this.#records.entries()
  }

  onChange(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  set(record: KeyRecord): void {
    this.#records.set(record.id, record)
    for (const listener of this.#listeners) listener(record.id, record)
  }
}

/** A key of a tenant: its text, and what the service knows of it. */
export function keyOf(tenant: string, more: Partial<KeyRecord> = {}) {
  const { id, text, secretHash } = newKey()
  const record: KeyRecord = {
    ...{ id, name: tenant, tenant, secretHash, createdAtMs: 0, limits: {} },
    ...more,
  }
  return { text, record }
}
