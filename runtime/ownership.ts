/**
 * Who owns an actor: KV `owners`, changed only by compare-and-set. Each transfer
 * raises the epoch, which fences whoever owned it before. `free`: handed over, to be
 * taken; `resting`: nobody needs it live. The record can be lost while the log remains, so a claim
 * also counts from the epoch of the log's last entry: an epoch is never used by two owners.
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
  | { readonly type: 'claimed'; readonly ownership: Ownership }
  | { readonly type: 'elsewhere'; readonly incarnation: string }

/** Of an actor that has no entry in its log. */
const noEpoch = 0

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
   * Takes an actor that nobody has owned yet, without reading anything: this saves its creation two
   * round trips. Throws {@link Conflict} when it has an owner record. Whether it has a history is
   * not known here; the first append finds out.
   */
  claimNew(kind: string, id: string): Promise<Ownership> {
    return this.#create(kind, id, noEpoch)
  }

  /**
   * Takes the actor unless a live process has it. `loggedEpoch`: of the last entry in its log, 0
   * without one. Throws {@link Conflict} when another process was quicker.
   */
  async claim(kind: string, id: string, loggedEpoch: number): Promise<ClaimResult> {
    const key = ownerKey(kind, id)
    const entry = await this.#owners.get(key)
    if (!entry) return { type: 'claimed', ownership: await this.#create(kind, id, loggedEpoch) }
    const owner = decode<OwnerRecord>(entry.value)
    if (await this.#isElsewhere(owner)) {
      return { type: 'elsewhere', incarnation: owner.incarnation }
    }
    const epoch = Math.max(owner.epoch, loggedEpoch) + 1
    const revision = await this.#owners.update(key, this.#record('owned', epoch), entry.revision)
    return { type: 'claimed', ownership: { kind, id, epoch, revision } }
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

  async #create(kind: string, id: string, loggedEpoch: number): Promise<Ownership> {
    const epoch = loggedEpoch + 1
    const revision = await this.#owners.create(ownerKey(kind, id), this.#record('owned', epoch))
    return { kind, id, epoch, revision }
  }

  #record(state: OwnerRecord['state'], epoch: number): Uint8Array {
    const record: OwnerRecord = { state, incarnation: this.#incarnation, epoch }
    return encode(record)
  }
}
