/**
 * What the runtime needs of a store: logs and buckets whose writes are compare-and-set. Implemented
 * over JetStream in `nats/`, in memory in `memory-store.ts`. Reads go to the leader;
 * correctness never rests on one.
 */
export interface Store {
  readonly log: LogStore
  bucket(name: string): Bucket
}

export interface LogStore {
  /**
   * Appends when the subject's last sequence is `expectedSeq` (0: the subject is empty) and
   * returns the new sequence. Throws {@link Conflict} when it is not, {@link StoreUnavailable}
   * when nobody can say whether it landed.
   */
  append(subject: string, data: Uint8Array, expectedSeq: number): Promise<number>
  last(subject: string): Promise<LogRecord | undefined>
  /** Every record of the subject from `fromSeq`, oldest first. */
  read(subject: string, fromSeq?: number): AsyncIterable<LogRecord>
  purge(subject: string): Promise<void>
}

export interface LogRecord {
  readonly subject: string
  readonly seq: number
  readonly data: Uint8Array
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
   * First every present entry, then each change, until stopped. An
   * accelerator: `entries` is the truth.
   */
  watch(onChange: (change: BucketChange) => void): Promise<BucketWatch>
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
