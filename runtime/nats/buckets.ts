/**
 * The store as JetStream gives it: the streams are created where they are
 * missing, and spoken to here only.
 */
import {
  DiscardPolicy,
  Events,
  headers,
  RetentionPolicy,
  StorageType,
  type JetStreamClient,
  type JetStreamManager,
  type MsgHdrs,
  type NatsConnection,
  type StoredMsg,
} from 'nats'
import type { Logger } from 'pino'
import { limits } from '../../proto/limits.ts'
import { buckets, streams } from '../../proto/subjects.ts'
import { backoffMs, sleep, systemClock } from '../clock.ts'
import { isClustered } from './connection.ts'
import {
  JetStreamBucket,
  JetStreamLog,
  type MessageQuery,
  type PublishOptions,
  type StreamApi,
  type StreamMessage,
} from './jetstream-store.ts'
import { isNoMessage, isNoStream, NatsUnusable, storeError, tried } from './errors.ts'
import type { BucketWatch, LogStore, Store } from '../store.ts'
import { streamPlans, type StreamPlan } from './stream-plan.ts'

export interface StoreOptions {
  /** Deadline of each single try. */
  readonly timeoutMs: number
  readonly log?: Logger
}

export interface NatsStore extends Store {
  /** Public streams, see `feed.ts`. */
  readonly steps: LogStore
  /** Pictures of the pages of tasks, one a subject. */
  readonly pictures: LogStore
  /**
   * Removes the markers that deletions older than `olderThanMs` left behind, and says how many. A
   * watcher that was away for longer hears of those deletions only by comparing with `entries`.
   */
  purgeMarkers(bucket: string, olderThanMs: number): Promise<number>
}

/** Opens the store, creating what is missing. Any number of processes may do so at once. */
export async function openStore(nc: NatsConnection, options: StoreOptions): Promise<NatsStore> {
  await createStreams(nc, options.log)
  const api = new NatsStreams(nc, await managerOf(nc, options.timeoutMs), options.timeoutMs)
  const open = new Map<string, JetStreamBucket>(
    Object.values(buckets).map((name) => [name, new JetStreamBucket(api, name)]),
  )
  const bucket = (name: string) => {
    const found = open.get(name)
    if (found === undefined) throw new Error(`there is no bucket ${name}`)
    return found
  }
  return {
    log: new JetStreamLog(api, streams.log),
    steps: new JetStreamLog(api, streams.steps),
    pictures: new JetStreamLog(api, streams.pictures),
    bucket,
    purgeMarkers: (name, olderThanMs) => bucket(name).purgeMarkers(olderThanMs, systemClock.now()),
  }
}

class NatsStreams implements StreamApi {
  readonly closed: Promise<void>
  readonly #nc: NatsConnection
  readonly #js: JetStreamClient
  readonly #jsm: JetStreamManager
  readonly #reconnected = new Set<() => void>()

  constructor(nc: NatsConnection, jsm: JetStreamManager, timeoutMs: number) {
    this.#nc = nc
    this.#jsm = jsm
    this.#js = nc.jetstream({ timeout: timeoutMs })
    this.closed = nc.closed().then(() => undefined)
    void this.#hearReconnects()
  }

  async publish(subject: string, data: Uint8Array, options: PublishOptions): Promise<number> {
    const { expectedSeq, deletion } = options
    const sent = this.#js.publish(subject, data, {
      ...(expectedSeq !== undefined && { expect: { lastSubjectSequence: expectedSeq } }),
      ...(deletion && { headers: deletionMarker() }),
    })
    return (await tried(subject, sent)).seq
  }

  async get(stream: string, query: MessageQuery): Promise<StreamMessage | undefined> {
    try {
      // The client's type does not know `next_by_subj` here; every server does since 2.9.
      const asked = query as { last_by_subj: string }
      return storedMessage(await this.#jsm.streams.getMessage(stream, asked))
    } catch (error) {
      if (isNoMessage(error)) return undefined
      throw storeError(`read of ${stream}`, error)
    }
  }

  async subjects(stream: string, filter: string): Promise<{ names: string[]; lastSeq: number }> {
    const asked = this.#jsm.streams.info(stream, { subjects_filter: filter })
    const { state } = await tried(`list of ${stream}`, asked)
    return { names: Object.keys(state.subjects ?? {}), lastSeq: state.last_seq }
  }

  async purge(stream: string, range: { filter: string; seq?: number }): Promise<void> {
    await tried(`purge of ${range.filter}`, this.#jsm.streams.purge(stream, range))
  }

  async follow(subject: string, tell: (message: StreamMessage) => void): Promise<BucketWatch> {
    const subscription = this.#nc.subscribe(subject, {
      callback: (error, message) => {
        // In a microtask of its own: what is thrown in here would end
        // the client's reader in silence.
        queueMicrotask(() => {
          if (error) throw error
          tell(republishedMessage(message.headers!, message.data))
        })
      },
    })
    try {
      await tried(`watch of ${subject}`, this.#nc.flush())
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

  async #hearReconnects(): Promise<void> {
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

function republishedMessage(header: MsgHdrs, data: Uint8Array): StreamMessage {
  return {
    subject: header.get('Nats-Subject'),
    seq: Number(header.get('Nats-Sequence')),
    data,
    deletion: header.has(operationHeader),
    atMs: systemClock.now(),
  }
}

function managerOf(nc: NatsConnection, timeoutMs: number): Promise<JetStreamManager> {
  return nc.jetstreamManager({ checkAPI: false, timeout: timeoutMs })
}

async function createStreams(nc: NatsConnection, log: Logger | undefined): Promise<void> {
  const jsm = await managerOf(nc, limits.storeSetupTryMs)
  const giveUpAt = systemClock.monotonic() + limits.storeReadyMs
  for (const plan of streamPlans(isClustered(nc))) {
    for (let attempt = 1; !(await create(jsm, plan, giveUpAt, log)); attempt++) {
      await sleep(systemClock, backoffMs(attempt, limits.natsRetryMs, limits.natsRetryMaxMs))
    }
  }
}

/**
 * False while it is worth another try. Processes that start at once race
 * to create; one wins, all find it.
 */
async function create(
  jsm: JetStreamManager,
  plan: StreamPlan,
  giveUpAt: number,
  log: Logger | undefined,
): Promise<boolean> {
  const { name, num_replicas: replicas } = plan
  try {
    if (await exists(jsm, name)) return true
    const kept = { storage: StorageType.File, retention: RetentionPolicy.Limits }
    await jsm.streams.add({ ...kept, discard: DiscardPolicy.Old, ...plan })
    log?.info({ stream: name, replicas }, 'created a stream')
    return true
  } catch (error) {
    const reason = (error as Error).message
    if (systemClock.monotonic() < giveUpAt) {
      log?.warn({ stream: name, reason }, 'JetStream is not ready; waiting for it')
      return false
    }
    throw new NatsUnusable(
      `JetStream does not give us stream ${name} (${reason}): switch JetStream on for this ` +
        'account; a cluster needs three servers that have it.',
      error,
    )
  }
}

async function exists(jsm: JetStreamManager, stream: string): Promise<boolean> {
  try {
    await jsm.streams.info(stream)
    return true
  } catch (error) {
    if (isNoStream(error)) return false
    throw error
  }
}
