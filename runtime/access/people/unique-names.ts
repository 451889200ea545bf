/**
 * Names that are unique in the service, such as the slug of a client: the first writer gets the
 * name. If the owner is then never created, the name becomes free after a while.
 */
import { createHash } from 'node:crypto'
import { decode, encode } from '../../../proto/codec.ts'
import { accessLimits } from '../../../proto/access/limits.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { StoreConflict, type Bucket } from '../../store/store.ts'

interface NameRecord {
  readonly id: string
  /** Wall-clock ms. */
  readonly atMs: number
}

export class UniqueNames {
  readonly #bucket: Bucket
  readonly #clock: Clock

  constructor(bucket: Bucket, clock: Clock) {
    this.#bucket = bucket
    this.#clock = clock
  }

  /**
   * Reserves the name for `id`. Throws `duplicate` if another owner has it; `exists` checks whether
   * that owner was created.
   */
  async take(
    kind: string,
    name: string,
    id: string,
    exists: (id: string) => Promise<boolean>,
  ): Promise<void> {
    const key = keyOf(kind, name)
    const record = encode({ id, atMs: this.#clock.now() } satisfies NameRecord)
    try {
      await this.#bucket.create(key, record)
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error
      await this.#takeOver(key, record, exists)
    }
  }

  /** Releases the name if `id` owns it. */
  async release(kind: string, name: string, id: string): Promise<void> {
    const key = keyOf(kind, name)
    const entry = await this.#bucket.get(key)
    if (entry && decode<NameRecord>(entry.value).id === id) await this.#bucket.delete(key)
  }

  async #takeOver(
    key: string,
    record: Uint8Array,
    exists: (id: string) => Promise<boolean>,
  ): Promise<void> {
    const entry = await this.#bucket.get(key)
    const owner = entry && decode<NameRecord>(entry.value)
    const isYoung = owner && this.#clock.now() - owner.atMs < accessLimits.nameAbandonedMs
    if (!entry || !owner || isYoung || (await exists(owner.id))) throw duplicateError()
    try {
      await this.#bucket.update(key, record, entry.revision)
    } catch (error) {
      throw error instanceof StoreConflict ? duplicateError() : error
    }
  }
}

const duplicateError = () =>
  new ServiceError('duplicate', 'This name is already taken; choose another one.')

/** Hashed, because addresses should not appear in keys and not every name is a valid key part. */
const keyOf = (kind: string, name: string): string =>
  `${kind}.${createHash('sha256').update(name).digest('hex')}`
