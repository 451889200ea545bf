/**
 * Who owns an actor: KV `owners`, changed only by compare-and-set. Each transfer
 * raises the epoch, which fences whoever owned it before. `free`: handed over, to be
 * taken; `resting`: nobody needs it live.
 */
import { ownerKey } from '../proto/subjects.ts'
import { decode, encode } from '../proto/codec.ts'
import { Conflict, type Bucket } from './store.ts'

export interface OwnerRecord {
  readonly state: 'owned' | 'free' | 'resting'
  /** The owner, or the last one. */
  readonly incarnation: string
  readonly epoch: number
}

export interface Ownership {
  readonly kind: string
  readonly id: string
  readonly epoch: number
  readonly revision: number
}

export type ClaimResult =
  | { readonly type: 'claimed'; readonly ownership: Ownership; readonly fresh: boolean }
  | { readonly type: 'elsewhere'; readonly incarnation: string }

export class Ownerships {
  readonly #owners: Bucket
  readonly #incarnation: string
  readonly #isDead: (incarnation: string) => Promise<boolean>

  constructor(
    owners: Bucket,
    incarnation: string,
    isDead: (incarnation: string) => Promise<boolean>,
  ) {
    this.#owners = owners
    this.#incarnation = incarnation
    this.#isDead = isDead
  }

  /**
   * Takes the actor unless a live process has it. With `presumeNew` the record is created unread,
   * which saves the creation of an actor one round trip.
   */
  async claim(kind: string, id: string, presumeNew: boolean): Promise<ClaimResult> {
    const key = ownerKey(kind, id)
    if (presumeNew) {
      try {
        return await this.#create(kind, id)
      } catch (error) {
        if (!(error instanceof Conflict)) throw error
      }
    }
    const entry = await this.#owners.get(key)
    if (!entry) return this.#create(kind, id)
    const owner = decode<OwnerRecord>(entry.value)
    if (await this.#isElsewhere(owner)) {
      return { type: 'elsewhere', incarnation: owner.incarnation }
    }
    const epoch = owner.epoch + 1
    const revision = await this.#owners.update(key, this.#record('owned', epoch), entry.revision)
    return { type: 'claimed', fresh: false, ownership: { kind, id, epoch, revision } }
  }

  /** Gives the actor up. */
  release({ kind, id, epoch, revision }: Ownership, state: 'free' | 'resting'): Promise<void> {
    return this.#replace(ownerKey(kind, id), this.#record(state, epoch), revision)
  }

  /**
   * Lets an orphan be that turned out to have no history: whoever was
   * creating it died before the first entry.
   */
  async rest(kind: string, id: string): Promise<void> {
    const key = ownerKey(kind, id)
    const entry = await this.#owners.get(key)
    if (!entry) return
    const owner = decode<OwnerRecord>(entry.value)
    if (await this.#isElsewhere(owner)) return
    await this.#replace(key, this.#record('resting', owner.epoch), entry.revision)
  }

  /** A conflict means that somebody has taken the actor meanwhile, which is as good. */
  async #replace(key: string, record: Uint8Array, revision: number): Promise<void> {
    try {
      await this.#owners.update(key, record, revision)
    } catch (error) {
      if (!(error instanceof Conflict)) throw error
    }
  }

  async #isElsewhere({ state, incarnation }: OwnerRecord): Promise<boolean> {
    return (
      state === 'owned' && incarnation !== this.#incarnation && !(await this.#isDead(incarnation))
    )
  }

  async #create(kind: string, id: string): Promise<ClaimResult> {
    const revision = await this.#owners.create(ownerKey(kind, id), this.#record('owned', 1))
    return { type: 'claimed', fresh: true, ownership: { kind, id, epoch: 1, revision } }
  }

  #record(state: OwnerRecord['state'], epoch: number): Uint8Array {
    const record: OwnerRecord = { state, incarnation: this.#incarnation, epoch }
    return encode(record)
  }
}
