/** The store on JetStream: creates missing streams, and is the only place that accesses them. */
import { defined } from '../../../proto/defined.ts'
import {
  consumerOpts,
  Events,
  headers,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
  type MsgHdrs,
  type NatsConnection,
  type StoredMsg,
} from 'nats'
import type { Logger } from 'pino'
import { buckets, streams } from '../../../proto/subjects.ts'
import { systemClock } from '../../lib/clock.ts'
import { SerialQueue } from '../../lib/serial-queue.ts'
import { JetStreamBucket, JetStreamLog } from './jetstream-store.ts'
import type {
  DeliverQuery,
  MessageQuery,
  PublishOptions,
  StreamApi,
  StreamMessage,
  StreamState,
} from './stream-api.ts'
import { isNoMessage, isNoRoom, storeError, withStoreErrors } from './errors.ts'
import {
  StoreUnavailable,
  type Bucket,
  type LogStore,
  type SharedLog,
  type Store,
  type StreamSpan,
  type StreamUsage,
} from '../store.ts'
import type { BusService } from '../bus.ts'
import { bucketStream } from './stream-plan.ts'
import {
  awaitStream,
  awaitStreams,
  createStreams,
  managerOf,
  storeUsage,
  streamUsage,
} from './streams.ts'
import { storeLimits } from '../limits.ts'

export interface StoreOptions {
  /** Timeout of one request. */
  readonly timeoutMs: number
  readonly log?: Logger
  /**
   * STORE_MAX_MIB of a process that runs the service: existing streams are resized to their shares.
   * Other processes, such as commands, leave them unchanged.
   */
  readonly storeMib?: number
  /** True for a process that may not create streams: it waits for an actor host to do so. */
  readonly waits?: boolean
}

export interface NatsStore extends Store {
  /** What has ended, see `runtime/actor/archive`. */
  readonly archive: SharedLog
  /** Public streams, see `feed.ts`. */
  readonly steps: LogStore
  /** Screenshots of tasks' pages, one per subject. */
  readonly pictures: LogStore
  /** The audit chains and their checkpoints: append-only. */
  readonly audit: SharedLog
  readonly checkpoints: SharedLog
  /** Events for the audit that are in no actor's log. */
  readonly notes: SharedLog
  /** Who read which records. */
  readonly reads: SharedLog
  /** The service's audit, see `proto/service-audit.ts`. */
  readonly serviceAudit: SharedLog
  /** Each change of a bucket that its stream still stores, as `$KV.<bucket>.<key>`. */
  changes(bucket: string): SharedLog
  /** How full each stream is. Throws {@link StoreUnavailable}. */
  usage(): Promise<readonly StreamUsage[]>
  /** How full one stream is. Throws {@link StoreUnavailable}. */
  usageOf(stream: string): Promise<StreamUsage>
  /** The sequence of the last message that a stream has stored. */
  lastSeq(stream: string): Promise<number>
  /** Which messages a stream has, and which stream of this name it is. */
  spanOf(stream: string): Promise<StreamSpan>
  /**
   * Removes delete markers older than `olderThanMs` and returns their number. A watcher that was
   * away for longer learns of those deletions only by comparing with `entries`.
   */
  purgeMarkers(bucket: string, olderThanMs: number): Promise<number>
}

/**
 * Opens the store; creates what is missing, unless it `waits`. Any number of processes may do so at
 * the same time.
 */
export async function openStore(nc: NatsConnection, options: StoreOptions): Promise<NatsStore> {
  if (options.waits) await awaitStreams(nc, options.log)
  else await createStreams(nc, options)
  const jsm = await managerOf(nc, options.timeoutMs)
  const api = new NatsStreams(nc, jsm, options)
  const open = new Map<string, JetStreamBucket>(
    Object.values(buckets).map((name) => [
      name,
      new JetStreamBucket(api, name, { hasPast: name === buckets.records }),
    ]),
  )
  const bucket = (name: string) => {
    const found = open.get(name)
    if (found === undefined) throw new Error(`there is no bucket ${name}`)
    return found
  }
  return {
    log: new JetStreamLog(api, streams.log),
    archive: new JetStreamLog(api, streams.archive),
    steps: new JetStreamLog(api, streams.steps),
    pictures: new JetStreamLog(api, streams.pictures),
    audit: new JetStreamLog(api, streams.audit),
    checkpoints: new JetStreamLog(api, streams.checkpoints),
    notes: new JetStreamLog(api, streams.notes),
    reads: new JetStreamLog(api, streams.reads),
    serviceAudit: new JetStreamLog(api, streams.serviceAudit),
    changes: (name) => new JetStreamLog(api, bucketStream(name)),
    usage: () => storeUsage(jsm),
    usageOf: (stream) => streamUsage(jsm, stream),
    lastSeq: async (stream) => (await api.state(stream)).lastSeq,
    spanOf: (stream) => api.state(stream),
    bucket,
    purgeMarkers: (name, olderThanMs) => bucket(name).purgeMarkers(olderThanMs, systemClock.now()),
  }
}

/**
 * Opens only the leases, for processes without access to the rest of the store; waits until the
 * bucket exists.
 */
export async function openHosts(nc: NatsConnection, options: StoreOptions): Promise<Bucket> {
  await awaitStream(nc, bucketStream(buckets.hosts), options.log)
  const api = new NatsStreams(nc, await managerOf(nc, options.timeoutMs), options)
  return new JetStreamBucket(api, buckets.hosts)
}

class NatsStreams implements StreamApi {
  readonly closed: Promise<void>
  readonly #nc: NatsConnection
  readonly #js: JetStreamClient
  /** For reading many messages, which takes longer than a request. */
  readonly #bulk: JetStreamClient
  readonly #jsm: JetStreamManager
  readonly #turns = new SerialQueue()
  readonly #log: Logger | undefined
  readonly #reconnected = new Set<() => void>()
  /** Monotonic ms until which no further line about a full store is logged. */
  #fullLoggedUntilMs = 0

  constructor(nc: NatsConnection, jsm: JetStreamManager, { timeoutMs, log }: StoreOptions) {
    this.#nc = nc
    this.#jsm = jsm
    this.#log = log
    this.#js = nc.jetstream({ timeout: timeoutMs })
    this.#bulk = nc.jetstream({ timeout: storeLimits.storeSliceMs })
    this.closed = nc.closed().then(() => undefined)
    void this.#watchReconnects()
  }

  async publish(subject: string, data: Uint8Array, options: PublishOptions): Promise<number> {
    const { expectedSeq, deletion, id } = options
    const sent = this.#js.publish(subject, data, {
      ...(expectedSeq !== undefined && { expect: { lastSubjectSequence: expectedSeq } }),
      ...defined({ msgID: id }),
      ...(deletion && { headers: deletionMarker() }),
    })
    try {
      return (await sent).seq
    } catch (error) {
      if (isNoRoom(error)) this.#logFull(subject, error)
      throw storeError(subject, error)
    }
  }

  async get(stream: string, query: MessageQuery): Promise<StreamMessage | undefined> {
    try {
      // The client's type does not have `next_by_subj` here; every server since 2.9 supports it.
      const asked = query as { last_by_subj: string }
      return storedMessage(await this.#jsm.streams.getMessage(stream, asked))
    } catch (error) {
      if (isNoMessage(error)) return undefined
      throw storeError(`read of ${stream}`, error)
    }
  }

  async *deliver(stream: string, { filter, fromSeq }: DeliverQuery): AsyncIterable<StreamMessage> {
    const what = `reading of ${filter || stream}`
    const ordered = consumerOpts().orderedConsumer().bindStream(stream)
    const options =
      fromSeq === undefined ? ordered.deliverLastPerSubject() : ordered.startSequence(fromSeq)
    const messages = await withStoreErrors(what, this.#bulk.subscribe(filter, options))
    let isSilent = false
    const patience = setTimeout(() => {
      isSilent = true
      messages.unsubscribe()
    }, storeLimits.storeSliceMs)
    try {
      const { num_pending: pending, delivered } = await messages.consumerInfo()
      if (pending === 0 && delivered.consumer_seq === 0) return
      for await (const message of messages) {
        patience.refresh()
        yield deliveredMessage(message)
        if (message.info.pending === 0) return
      }
    } catch (error) {
      throw storeError(what, error)
    } finally {
      clearTimeout(patience)
      messages.unsubscribe()
    }
    throw new StoreUnavailable(`${what}${isSilent ? ' in time' : ''}`)
  }

  async subjects(stream: string, filter: string): Promise<readonly string[]> {
    const asked = this.#jsm.streams.info(stream, { subjects_filter: filter })
    const { state } = await withStoreErrors(`list of ${stream}`, asked)
    return Object.keys(state.subjects ?? {})
  }

  async state(stream: string): Promise<StreamState> {
    const asked = this.#jsm.streams.info(stream)
    const { state, created } = await withStoreErrors(`state of ${stream}`, asked)
    const { messages, first_seq: firstSeq, last_seq: lastSeq } = state
    return { messages, firstSeq, lastSeq, created: String(created) }
  }

  takeTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.run(work)
  }

  async purge(stream: string, range: { filter: string; seq?: number }): Promise<void> {
    await withStoreErrors(`purge of ${range.filter}`, this.#jsm.streams.purge(stream, range))
  }

  async follow(subject: string, tell: (message: StreamMessage) => void): Promise<BusService> {
    const subscription = this.#nc.subscribe(subject, {
      callback: (error, message) => {
        // In a separate microtask: an exception in here would silently end the client's reader.
        queueMicrotask(() => {
          if (error) throw error
          tell(republishedMessage(message.headers!, message.data))
        })
      },
    })
    try {
      await withStoreErrors(`watch of ${subject}`, this.#nc.flush())
    } catch (error) {
      subscription.unsubscribe()
      throw error
    }
    return { stop: () => subscription.unsubscribe() }
  }

  onReconnect(call: () => void): () => void {
    this.#reconnected.add(call)
    return () => this.#reconnected.delete(call)
  }

  /** Writes may be refused thousands of times a minute, so only one line a minute is logged. */
  #logFull(subject: string, cause: unknown): void {
    const nowMs = systemClock.monotonic()
    if (nowMs < this.#fullLoggedUntilMs) return
    this.#fullLoggedUntilMs = nowMs + storeLimits.storeFullLogMs
    const text =
      'the store is full and refuses writes: raise STORE_MAX_MIB (and max_file_store of a ' +
      'separate nats-server)'
    this.#log?.error({ subject, err: cause }, text)
  }

  async #watchReconnects(): Promise<void> {
    for await (const { type } of this.#nc.status()) {
      if (type === Events.Reconnect) for (const call of this.#reconnected) call()
    }
  }
}

const operationHeader = 'KV-Operation'

function deletionMarker(): MsgHdrs {
  const marker = headers()
  marker.set(operationHeader, 'DEL')
  return marker
}

function storedMessage({ subject, seq, data, header, time }: StoredMsg): StreamMessage {
  return { subject, seq, data, deletion: header.has(operationHeader), atMs: time.getTime() }
}

function deliveredMessage({ subject, seq, data, headers: header, info }: JsMsg): StreamMessage {
  const deletion = header?.has(operationHeader) ?? false
  return { subject, seq, data, deletion, atMs: info.timestampNanos / 1_000_000 }
}

function republishedMessage(header: MsgHdrs, data: Uint8Array): StreamMessage {
  return {
    subject: header.get('Nats-Subject'),
    seq: Number(header.get('Nats-Sequence')),
    data,
    deletion: header.has(operationHeader),
    atMs: systemClock.now(),
  }
}
