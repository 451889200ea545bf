/**
 * What the runtime needs of a store: logs and buckets whose writes are compare-and-set. Implemented
 * over JetStream in `nats/`, in memory in `memory-store.ts`. Reads go to the leader;
 * correctness never rests on one.
 */
import { ServiceError } from '../proto/errors.ts'

export interface Store {
  readonly log: LogStore
  bucket(name: string): Bucket
}

export interface LogStore {
  /**
   * Appends when the subject's last sequence is `expectedSeq` (0: the subject is empty) and
   * returns the new sequence. Throws {@link Conflict} when it is not, {@link StoreFull} when there
   * is no room, {@link StoreUnavailable} when nobody can say whether it landed.
   */
  append(subject: string, data: Uint8Array, expectedSeq: number): Promise<number>
  last(subject: string): Promise<LogRecord | undefined>
  /** Every record of the subject from `fromSeq`, oldest first. */
  read(subject: string, fromSeq?: number): AsyncIterable<LogRecord>
  purge(subject: string): Promise<void>
}

/** A log with subjects of many writers, who do not wait for one another. */
export interface SharedLog extends LogStore {
  /**
   * Appends, whatever the subject's last sequence is. A repeat with the same `id` within two
   * minutes adds nothing. Throws {@link StoreFull} and {@link StoreUnavailable}.
   */
  add(subject: string, data: Uint8Array, id: string): Promise<number>
  /** Those that have a record and match `filter`. */
  subjects(filter: string): Promise<readonly string[]>
}

export interface LogRecord {
  readonly subject: string
  readonly seq: number
  readonly data: Uint8Array
  /** When the store took it, in wall-clock ms; some stores do not know. */
  readonly atMs?: number
}

export interface Bucket {
  get(key: string): Promise<BucketEntry | undefined>
  /** Throws {@link Conflict} when the key exists. Returns the revision. */
  create(key: string, value: Uint8Array): Promise<number>
  /** Throws {@link Conflict} when the key's revision is another one. */
  update(key: string, value: Uint8Array, revision: number): Promise<number>
  put(key: string, value: Uint8Array): Promise<number>
  delete(key: string): Promise<void>
  /** Every entry, read from the leader without a consumer: slow and sure. */
  entries(): Promise<BucketEntry[]>
  /**
   * The same one after the other, of the keys below `prefix` (`cli_….contacts.`: whole tokens, with
   * their last dot) or of all: for what may be too much to be held at once.
   */
  scan(prefix?: string): AsyncIterable<BucketEntry>
  /**
   * First every present entry, then each change, until stopped. An accelerator: `entries` is the
   * truth. With a prefix, as `scan` has it, of those keys alone; a change that is made during the
   * first reading may be told twice then, the older one last.
   */
  watch(onChange: (change: BucketChange) => void, prefix?: string): Promise<BucketWatch>
}

export interface BucketEntry {
  readonly key: string
  readonly value: Uint8Array
  readonly revision: number
}

export type BucketChange =
  | ({ readonly type: 'put' } & BucketEntry)
  | { readonly type: 'delete'; readonly key: string; readonly revision: number }

export interface BucketWatch {
  stop(): void
}

export class Conflict extends Error {
  constructor(what: string, cause?: unknown) {
    super(`${what} was changed by someone else`, { cause })
    this.name = 'Conflict'
  }
}

export class StoreUnavailable extends Error {
  constructor(what: string, cause?: unknown) {
    super(`the store did not answer: ${what}`, { cause })
    this.name = 'StoreUnavailable'
  }
}

/**
 * Refused for want of room, and not written. What must not be lost is tried again, as after any
 * {@link StoreUnavailable}; what somebody asks for is refused with {@link storageFull}.
 */
export class StoreFull extends StoreUnavailable {
  constructor(what: string, cause?: unknown) {
    super(what, cause)
    this.message = `the store has no room: ${what}`
    this.name = 'StoreFull'
  }
}

export function storageFull(cause: StoreFull): ServiceError {
  const text =
    'The store has no room for this. The operator can raise STORE_MAX_MIB, or lower ' +
    'RETENTION_DAYS so that ended sessions and tasks go earlier.'
  return new ServiceError('storage_full', text, {}, cause)
}
