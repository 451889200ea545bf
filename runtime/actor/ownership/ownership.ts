/**
 * Owners of actors: KV `owners`, changed only by compare-and-set. Each transfer raises the epoch,
 * which fences the previous owner. `free`: handed over, to be taken; `resting`: need not be live.
 * The record can be lost while the log remains, so a claim also takes the epoch of the log's last
 * entry into account: no epoch is used by two owners.
 */
import { ownerKey } from '../../../proto/subjects.ts'
import { decode, encode } from '../../../proto/codec.ts'
import { StoreConflict, type Bucket } from '../../store/store.ts'

export interface OwnerRecord {
  readonly state: 'owned' | 'free' | 'resting'
  /** The current or the last owner. */
  readonly incarnation: string
  readonly epoch: number
}

/** Throws for bytes that are no such record: an epoch of none would fence nobody. */
export function readOwnerRecord(bytes: Uint8Array): OwnerRecord {
  const record = decode<OwnerRecord>(bytes)
  if (Number.isSafeInteger(record?.epoch) && typeof record.incarnation === 'string') return record
  throw new Error('an owner record cannot be read')
}

export interface Ownership {
  readonly kind: string
  readonly id: string
  readonly epoch: number
  readonly revision: number
}

export type ClaimResult =
  | {
      readonly type: 'claimed'
      readonly ownership: Ownership
      /** True if its last owner died with it. */
      readonly isTakeover: boolean
    }
  | { readonly type: 'elsewhere'; readonly incarnation: string }

/** For an actor without a log entry. */
const noEpoch = 0
/** That of a new actor. */
export const firstEpoch = noEpoch + 1

export class OwnershipStore {
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
   * Takes a new actor without reading anything, which saves its creation two round trips. Throws
   * {@link Conflict} if it has an owner record. Whether it has a history is found out by the first
   * append.
   */
  claimNew(kind: string, id: string): Promise<Ownership> {
    return this.#create(kind, id, noEpoch)
  }

  /**
   * Takes the actor unless a live process owns it. `loggedEpoch`: the epoch of the last log entry,
   * 0 without one. Throws {@link Conflict} if another process was quicker.
   */
  async claim(kind: string, id: string, loggedEpoch: number): Promise<ClaimResult> {
    const key = ownerKey(kind, id)
    const entry = await this.#owners.get(key)
    if (!entry) {
      const ownership = await this.#create(kind, id, loggedEpoch)
      return { type: 'claimed', ownership, isTakeover: false }
    }
    const owner = readOwnerRecord(entry.value)
    if (await this.#isElsewhere(owner)) {
      return { type: 'elsewhere', incarnation: owner.incarnation }
    }
    const epoch = Math.max(owner.epoch, loggedEpoch) + 1
    const revision = await this.#owners.update(key, this.#record('owned', epoch), entry.revision)
    const isTakeover = owner.state === 'owned' && owner.incarnation !== this.#incarnation
    return { type: 'claimed', ownership: { kind, id, epoch, revision }, isTakeover }
  }

  /** Releases the actor. */
  release({ kind, id, epoch, revision }: Ownership, state: 'free' | 'resting'): Promise<void> {
    return this.#replace(ownerKey(kind, id), this.#record(state, epoch), revision)
  }

  /** Marks an orphan without a history as resting: its creator died before the first entry. */
  async rest(kind: string, id: string): Promise<void> {
    const key = ownerKey(kind, id)
    const entry = await this.#owners.get(key)
    if (!entry) return
    const owner = readOwnerRecord(entry.value)
    if (await this.#isElsewhere(owner)) return
    await this.#replace(key, this.#record('resting', owner.epoch), entry.revision)
  }

  /** Ignores a conflict: it means that another host has taken the actor. */
  async #replace(key: string, record: Uint8Array, revision: number): Promise<void> {
    try {
      await this.#owners.update(key, record, revision)
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error
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
