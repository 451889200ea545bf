/**
 * The store's log and buckets on streams. Every write expects the subject's last sequence if the
 * caller asks for it. A bucket has the layout of a NATS KV bucket, so that NATS tools can read it,
 * and an entry's revision is its sequence in the stream. Reads are answered by the leader without a
 * consumer, which a cluster with one server down often fails to create.
 */
import { limits } from '../../../proto/limits.ts'
import { subjects } from '../../../proto/subjects.ts'
import { BucketWatcher } from './bucket-watch.ts'
import {
  StoreConflict,
  StoreUnavailable,
  type Bucket,
  type BucketChange,
  type BucketEntry,
  type BucketWatch,
  type LogRecord,
  type SharedLog,
} from '../store.ts'
import { bucketStream } from './stream-plan.ts'
import { storeLimits } from '../limits.ts'

/**
 * The operations of JetStream. Every call throws {@link Conflict}, StoreUnavailable, or an error
 * that is a bug.
 */
export interface StreamApi {
  publish(subject: string, data: Uint8Array, options: PublishOptions): Promise<number>
  /** The last message of a subject, or the first message of a filter from a sequence. */
  get(stream: string, query: MessageQuery): Promise<StreamMessage | undefined>
  /**
   * The last message of every subject of a filter, through a consumer: much faster than single
   * reads if there are many. If it fails, throws StoreUnavailable, possibly after some messages.
   */
  lastOfEach(stream: string, filter: string): AsyncIterable<StreamMessage>
  subjects(stream: string, filter: string): Promise<{ names: string[]; lastSeq: number }>
  /** Removes the messages that match the filter, below `seq` if given. */
  purge(stream: string, range: { filter: string; seq?: number }): Promise<void>
  /**
   * Subscribes to what streams republish on `subject`. Resolves when nothing published from then on
   * is missed.
   */
  follow(subject: string, tell: (message: StreamMessage) => void): Promise<BucketWatch>
  /** Calls back after each reconnect, until the returned function is called. */
  onReconnect(call: () => void): () => void
  /** Resolves when the connection is over for good. */
  readonly closed: Promise<void>
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

export interface StreamMessage extends LogRecord {
  readonly deletion: boolean
  readonly atMs: number
}

export class JetStreamLog implements SharedLog {
  readonly #api: StreamApi
  readonly #stream: string

  constructor(api: StreamApi, stream: string) {
    this.#api = api
    this.#stream = stream
  }

  append(subject: string, data: Uint8Array, expectedSeq: number): Promise<number> {
    return this.#api.publish(subject, data, { expectedSeq })
  }

  add(subject: string, data: Uint8Array, id: string): Promise<number> {
    return this.#api.publish(subject, data, { id })
  }

  async subjects(filter: string): Promise<readonly string[]> {
    return (await this.#api.subjects(this.#stream, filter)).names
  }

  last(subject: string): Promise<LogRecord | undefined> {
    return this.#api.get(this.#stream, { last_by_subj: subject })
  }

  async *read(subject: string, fromSeq = 1): AsyncIterable<LogRecord> {
    let seq = fromSeq
    for (;;) {
      const message = await this.#api.get(this.#stream, { seq, next_by_subj: subject })
      if (message === undefined) return
      yield message
      seq = message.seq + 1
    }
  }

  purge(subject: string): Promise<void> {
    return this.#api.purge(this.#stream, { filter: subject })
  }

  trim(subject: string, beforeSeq: number): Promise<void> {
    return this.#api.purge(this.#stream, { filter: subject, seq: beforeSeq })
  }
}

export class JetStreamBucket implements Bucket {
  readonly #api: StreamApi
  readonly #name: string
  readonly #stream: string
  readonly #prefix: string
  /** Watchers of parts of the bucket, which share one subscription. */
  readonly #listeners = new Set<(change: BucketChange) => void>()
  #following: Promise<BucketWatch> | undefined

  constructor(api: StreamApi, name: string) {
    this.#api = api
    this.#name = name
    this.#stream = bucketStream(name)
    this.#prefix = `$KV.${name}.`
  }

  async get(key: string): Promise<BucketEntry | undefined> {
    const message = await this.#last(this.#subject(key))
    return message && !message.deletion ? this.#entry(message) : undefined
  }

  async create(key: string, value: Uint8Array): Promise<number> {
    try {
      return await this.update(key, value, 0)
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error
      // A deletion left a marker; the new value replaces it.
      const last = await this.#last(this.#subject(key))
      if (!last?.deletion) throw error
      return this.update(key, value, last.seq)
    }
  }

  update(key: string, value: Uint8Array, revision: number): Promise<number> {
    return this.#api.publish(this.#subject(key), value, { expectedSeq: revision })
  }

  put(key: string, value: Uint8Array): Promise<number> {
    return this.#api.publish(this.#subject(key), value, {})
  }

  async delete(key: string): Promise<void> {
    await this.#api.publish(this.#subject(key), new Uint8Array(), { deletion: true })
  }

  async entries(): Promise<BucketEntry[]> {
    const { messages } = await this.#list()
    return messages.filter(({ deletion }) => !deletion).map((message) => this.#entry(message))
  }

  async *scan(prefix = ''): AsyncIterable<BucketEntry> {
    for await (const message of this.#below(prefix)) {
      if (!message.deletion) yield this.#entry(message)
    }
  }

  async watch(onChange: (change: BucketChange) => void, prefix = ''): Promise<BucketWatch> {
    return prefix === '' ? this.#watchAll(onChange) : this.#watchBelow(onChange, prefix)
  }

  /**
   * The bucket's changes are subscribed to once for all prefixes: entries of the whole bucket are
   * numbered without gaps, so missed changes are noticed; in a part of the bucket they would not
   * be.
   */
  async #watchBelow(
    onChange: (change: BucketChange) => void,
    prefix: string,
  ): Promise<BucketWatch> {
    const tell = (change: BucketChange) => {
      if (change.key.startsWith(prefix)) onChange(change)
    }
    this.#listeners.add(tell)
    const stop = () => {
      this.#listeners.delete(tell)
      if (this.#listeners.size > 0) return
      // A subscription that failed need not be stopped, and its watchers got the error.
      this.#following?.then((watch) => watch.stop()).catch(() => undefined)
      this.#following = undefined
    }
    const following = (this.#following ??= this.#follow((change) => {
      for (const delivered of this.#listeners) delivered(change)
    }))
    try {
      await following
      for await (const message of this.#below(prefix)) {
        if (!message.deletion) onChange(this.#change(message))
      }
      return { stop }
    } catch (error) {
      stop()
      throw error
    }
  }

  /** Delivers every change from now on. */
  async #follow(onChange: (change: BucketChange) => void): Promise<BucketWatch> {
    return this.#level(onChange, async () => {
      // No entry has this key: only the bucket's last sequence is wanted.
      const { lastSeq } = await this.#api.subjects(this.#stream, `${this.#prefix}-`)
      return lastSeq
    })
  }

  #watchAll(onChange: (change: BucketChange) => void): Promise<BucketWatch> {
    return this.#level(onChange, async () => {
      const { messages, lastSeq } = await this.#list()
      for (const message of messages) {
        if (!message.deletion) onChange(this.#change(message))
      }
      return lastSeq
    })
  }

  /** Delivers everything after the sequence that `begin` has reached. */
  async #level(
    onChange: (change: BucketChange) => void,
    begin: () => Promise<number>,
  ): Promise<BucketWatch> {
    const early: BucketChange[] = []
    let offer = (change: BucketChange): void => void early.push(change)
    const following = await this.#api.follow(subjects.bucketChanges(this.#name), (message) =>
      offer(this.#change(message)),
    )
    try {
      const delivered = await begin()
      const next = (revision: number) => this.#next(revision)
      const watcher = new BucketWatcher({ next, onChange }, delivered)
      const forget = this.#api.onReconnect(() => void watcher.catchUp())
      offer = (change) => watcher.offer(change)
      early.forEach(offer)
      const stop = () => [following.stop(), watcher.stop(), forget()]
      void this.#api.closed.then(stop)
      return { stop }
    } catch (error) {
      following.stop()
      throw error
    }
  }

  /** Removes delete markers older than `olderThanMs`; values written since then stay. */
  async purgeMarkers(olderThanMs: number, nowMs: number): Promise<number> {
    let purged = 0
    for await (const { subject, seq, deletion, atMs } of this.#below('')) {
      if (!deletion || atMs >= nowMs - olderThanMs) continue
      await this.#api.purge(this.#stream, { filter: subject, seq: seq + 1 })
      purged++
    }
    return purged
  }

  /** The last message of every key, and a sequence up to which nothing is missing. */
  async #list(): Promise<{ messages: StreamMessage[]; lastSeq: number }> {
    const { names, lastSeq } = await this.#names()
    const messages: StreamMessage[] = []
    for await (const message of this.#messages(names)) messages.push(message)
    return { messages, lastSeq }
  }

  #names(prefix = ''): Promise<{ names: string[]; lastSeq: number }> {
    if (prefix !== '' && !prefixPattern.test(prefix)) {
      throw new Error(`${JSON.stringify(prefix)} cannot begin a key`)
    }
    return this.#api.subjects(this.#stream, `${this.#prefix}${prefix}>`)
  }

  /** May yield a message twice. */
  async *#below(prefix: string): AsyncIterable<StreamMessage> {
    const { names } = await this.#names(prefix)
    if (names.length > storeLimits.storeKeysReadSingly) {
      try {
        yield* this.#api.lastOfEach(this.#stream, `${this.#prefix}${prefix}>`)
        return
      } catch (error) {
        // A cluster with one server down often fails to create consumers but can still read.
        if (!(error instanceof StoreUnavailable)) throw error
      }
    }
    yield* this.#messages(names)
  }

  async *#messages(names: readonly string[]): AsyncIterable<StreamMessage> {
    for (let at = 0; at < names.length; at += limits.storeReadsAtOnce) {
      const some = names.slice(at, at + limits.storeReadsAtOnce)
      const found = await Promise.all(some.map((subject) => this.#last(subject)))
      for (const message of found) if (message !== undefined) yield message
    }
  }

  #last(subject: string): Promise<StreamMessage | undefined> {
    return this.#api.get(this.#stream, { last_by_subj: subject })
  }

  async #next(revision: number): Promise<BucketChange | undefined> {
    const query = { seq: revision, next_by_subj: `${this.#prefix}>` }
    const message = await this.#api.get(this.#stream, query)
    return message && this.#change(message)
  }

  #change(message: StreamMessage): BucketChange {
    const entry = this.#entry(message)
    return message.deletion
      ? { type: 'delete', key: entry.key, revision: entry.revision }
      : { type: 'put', ...entry }
  }

  #entry({ subject, data, seq }: StreamMessage): BucketEntry {
    return { key: subject.slice(this.#prefix.length), value: data, revision: seq }
  }

  #subject(key: string): string {
    if (!keyPattern.test(key)) throw new Error(`${JSON.stringify(key)} cannot be a key`)
    return this.#prefix + key
  }
}

const keyPattern = /^[\w=/-]+(\.[\w=/-]+)*$/
const prefixPattern = /^([\w=/-]+\.)+$/
