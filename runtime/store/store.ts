/**
 * The storage interface of the runtime: logs and buckets with compare-and-set writes. Implemented
 * over JetStream in `nats/`, in memory in `memory-store.ts`. Reads go to the leader; correctness
 * never depends on a read.
 */
import { ServiceError } from '../../proto/errors.ts'
import { storeLimits } from './limits.ts'

export interface Store {
  readonly log: LogStore
  bucket(name: string): Bucket
}

export interface LogStore {
  /**
   * Appends if the subject's last sequence is `expectedSeq` (0: the subject is empty) and returns
   * the new sequence. Otherwise throws {@link Conflict}; {@link StoreFull} if there is no room,
   * {@link StoreUnavailable} if it is unknown whether the append succeeded.
   */
  append(subject: string, data: Uint8Array, expectedSeq: number): Promise<number>
  last(subject: string): Promise<LogRecord | undefined>
  /** Every record of the subject from `fromSeq`, oldest first. */
  read(subject: string, fromSeq?: number): AsyncIterable<LogRecord>
  purge(subject: string): Promise<void>
  /** Removes the subject's records before the sequence. */
  trim(subject: string, beforeSeq: number): Promise<void>
}

/** How full one stream of the store is. */
export interface StreamUsage {
  readonly stream: string
  readonly bytes: number
  /** The share of the store that is reserved for it. */
  readonly maxBytes: number
  /** True if writes are refused when it is full; otherwise the oldest content is removed. */
  readonly refuses: boolean
}

/** True if a stream that then refuses writes has hardly any room left. */
export const isFull = ({ bytes, maxBytes, refuses }: StreamUsage): boolean =>
  refuses && bytes * 100 >= maxBytes * storeLimits.fullPercent

/** A log whose subjects have many independent writers. */
export interface SharedLog extends LogStore {
  /**
   * Appends regardless of the subject's last sequence. A repeat with the same `id` within two
   * minutes is ignored. Throws {@link StoreFull} and {@link StoreUnavailable}.
   */
  add(subject: string, data: Uint8Array, id: string): Promise<number>
  /** Subjects that have a record and match `filter`. */
  subjects(filter: string): Promise<readonly string[]>
}

/** Which messages a stream has. */
export interface StreamSpan {
  /** When it was created: another stream of the same name has another time. */
  readonly created: string
  /** One more than the last if it is empty. */
  readonly firstSeq: number
  readonly lastSeq: number
}

export interface LogRecord {
  readonly subject: string
  readonly seq: number
  readonly data: Uint8Array
  /** When the store received it, in wall-clock ms; absent in some stores. */
  readonly atMs?: number
}

export interface Bucket {
  get(key: string): Promise<BucketEntry | undefined>
  /** Throws {@link Conflict} if the key exists. Returns the revision. */
  create(key: string, value: Uint8Array): Promise<number>
  /** Throws {@link Conflict} if the key has another revision. */
  update(key: string, value: Uint8Array, revision: number): Promise<number>
  put(key: string, value: Uint8Array): Promise<number>
  delete(key: string): Promise<void>
  /**
   * Yields the entries of keys below `prefix` (`cli_….contacts.`: whole tokens, with the last dot)
   * or of all keys, one by one, because they may not fit in memory. Read from the leader without a
   * consumer: slow but reliable. An entry that changes meanwhile may come twice.
   */
  scan(prefix?: string): AsyncIterable<BucketEntry>
  /**
   * Delivers every existing entry, then each change, until stopped: soon, and in any case before the
   * next `confirm` of the watch resolves. With a prefix, as in `scan`, only those keys; a change during the first
   * reading may then be delivered twice, the older one last.
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
  /**
   * Resolves when every change that the store had at the call was delivered, which costs one request
   * if there is none to read. Throws {@link StoreUnavailable}, and {@link StoreRolledBack}.
   */
  confirm(): Promise<void>
}

/** The store has lost changes that a watch has delivered, so the watch must be opened again. */
export class StoreRolledBack extends Error {
  constructor(what: string) {
    super(`the store has lost the last changes of ${what}`)
    this.name = 'StoreRolledBack'
  }
}

export class StoreConflict extends Error {
  constructor(what: string, cause?: unknown) {
    super(`${what} was changed by someone else`, { cause })
    this.name = 'StoreConflict'
  }
}

export class StoreUnavailable extends Error {
  constructor(what: string, cause?: unknown) {
    super(`the store did not answer: ${what}`, { cause })
    this.name = 'StoreUnavailable'
  }
}

/**
 * Refused for lack of room, and not written. Data that must not be lost is retried, as after any
 * {@link StoreUnavailable}; requests are refused with {@link storageFull}.
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
    'The store has no room for this. The operator can raise STORE_MAX_MIB; what has ended makes ' +
    'room for itself within minutes.'
  return new ServiceError('storage_full', text, {}, cause)
}
