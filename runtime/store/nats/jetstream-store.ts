/**
 * The store's log and buckets on streams. Every write expects the subject's last sequence if the
 * caller asks for it. A bucket has the layout of a NATS KV bucket, so that NATS tools can read it,
 * and an entry's revision is its sequence in the stream. Reads are answered by the leader and do not
 * depend on a consumer, which a cluster with one server down often fails to create.
 */
import { subjects } from '../../../proto/subjects.ts'
import { readLastOfEach, type ReadBucket } from './bucket-reader.ts'
import type { StreamApi, StreamMessage } from './stream-api.ts'
import { BucketWatcher } from './bucket-watch.ts'
import {
  StoreConflict,
  type Bucket,
  type BucketChange,
  type BucketEntry,
  type BucketWatch,
  type LogRecord,
  type SharedLog,
} from '../store.ts'
import { bucketStream } from './stream-plan.ts'

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

  subjects(filter: string): Promise<readonly string[]> {
    return this.#api.subjects(this.#stream, filter)
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
  readonly #read: ReadBucket
  /** Watchers of parts of the bucket, which share one subscription. */
  readonly #listeners = new Set<(change: BucketChange) => void>()
  #following: Promise<BucketWatch> | undefined

  /** `hasPast`: the stream also stores past values of its keys. */
  constructor(api: StreamApi, name: string, { hasPast = false } = {}) {
    this.#api = api
    this.#name = name
    this.#stream = bucketStream(name)
    this.#prefix = `$KV.${name}.`
    this.#read = { stream: this.#stream, all: `${this.#prefix}>`, hasPast }
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
      return { stop, confirm: async () => (await following).confirm() }
    } catch (error) {
      stop()
      throw error
    }
  }

  /** Delivers every change from now on. */
  async #follow(onChange: (change: BucketChange) => void): Promise<BucketWatch> {
    return this.#level(onChange, async () => (await this.#api.state(this.#stream)).lastSeq)
  }

  #watchAll(onChange: (change: BucketChange) => void): Promise<BucketWatch> {
    return this.#level(onChange, async () => {
      const { lastSeq } = await this.#api.state(this.#stream)
      for await (const message of this.#below('')) {
        // What has changed since then is delivered as a change.
        if (!message.deletion && message.seq <= lastSeq) onChange(this.#change(message))
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
      const last = async () => (await this.#api.state(this.#stream)).lastSeq
      const watcher = new BucketWatcher({ name: this.#name, next, last, onChange }, delivered)
      const forget = this.#api.onReconnect(() => void watcher.catchUp())
      offer = (change) => watcher.offer(change)
      early.forEach(offer)
      const stop = () => [following.stop(), watcher.stop(), forget()]
      void this.#api.closed.then(stop)
      return { stop, confirm: () => watcher.confirm() }
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

  /** May yield a message twice. */
  #below(prefix: string): AsyncIterable<StreamMessage> {
    if (prefix !== '' && !prefixPattern.test(prefix)) {
      throw new Error(`${JSON.stringify(prefix)} cannot begin a key`)
    }
    return readLastOfEach(this.#api, this.#read, `${this.#prefix}${prefix}>`)
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
