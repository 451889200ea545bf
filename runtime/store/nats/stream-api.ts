/** What the store needs of JetStream; implemented in `buckets.ts`. */
import type { BusService } from '../bus.ts'
import type { LogRecord, StreamSpan } from '../store.ts'

/**
 * The operations of JetStream. Every call throws {@link Conflict}, StoreUnavailable, or an error
 * that is a bug.
 */
export interface StreamApi {
  publish(subject: string, data: Uint8Array, options: PublishOptions): Promise<number>
  /** The last message of a subject, or the first message of a filter from a sequence. */
  get(stream: string, query: MessageQuery): Promise<StreamMessage | undefined>
  /**
   * Messages of a filter through a consumer: much faster than single reads if there are many. If it
   * fails, throws StoreUnavailable, possibly after some messages.
   */
  deliver(stream: string, query: DeliverQuery): AsyncIterable<StreamMessage>
  subjects(stream: string, filter: string): Promise<readonly string[]>
  state(stream: string): Promise<StreamState>
  /** Runs one work after the other: reading much of the store at once would occupy the server. */
  takeTurn<T>(work: () => Promise<T>): Promise<T>
  /** Removes the messages that match the filter, below `seq` if given. */
  purge(stream: string, range: { filter: string; seq?: number }): Promise<void>
  /**
   * Subscribes to what streams republish on `subject`. Resolves when nothing published from then on
   * is missed.
   */
  follow(subject: string, tell: (message: StreamMessage) => void): Promise<BusService>
  /** Calls back after each reconnect, until the returned function is called. */
  onReconnect(call: () => void): () => void
  /** Resolves when the connection is over for good. */
  readonly closed: Promise<void>
}

export interface StreamState extends StreamSpan {
  /** The number of its messages. */
  readonly messages: number
}

export interface PublishOptions {
  readonly expectedSeq?: number
  /** The message is the delete marker of its key. */
  readonly deletion?: true
  /** A repeat with the same id is ignored for a while. */
  readonly id?: string
}

export type MessageQuery =
  { readonly last_by_subj: string } | { readonly seq: number; readonly next_by_subj: string }

export interface DeliverQuery {
  /** Empty: all subjects of the stream. */
  readonly filter: string
  /** Every message from this sequence; absent: the last message of every subject. */
  readonly fromSeq?: number
}

export interface StreamMessage extends LogRecord {
  readonly deletion: boolean
  readonly atMs: number
}
