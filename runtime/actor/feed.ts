/**
 * Public streams: JSON records that an actor publishes, numbered 1, 2, 3 … under one subject. They
 * are stored in stream STEPS. A plain subscriber of the subject may miss records; a follower that
 * reads the stream from a number does not.
 */
import type { Logger } from 'pino'
import { subjects } from '../../proto/subjects.ts'
import type { MessageSubscriber, BusService } from '../store/bus.ts'
import type { Clock, Timer } from '../lib/clock.ts'
import { retryConflicts } from '../store/retry-conflicts.ts'
import type { LogRecord, LogStore } from '../store/store.ts'
import { actorLimits } from './limits.ts'

export interface FeedRecord {
  readonly n: number
}

/**
 * Appends record `n` exactly once: a repeat after a crash or a lost acknowledgement has no effect.
 * Throws if the previous number is missing, because the stream would get a gap. A stream whose
 * beginning was dropped, because of its age or for lack of room, continues.
 */
export async function publishRecord(
  steps: LogStore,
  subject: string,
  record: FeedRecord,
): Promise<void> {
  // After a conflict, most likely an earlier attempt of ours has succeeded: the last record shows it.
  await retryConflicts(actorLimits.feedAttempts, async () => {
    const last = await steps.last(subject)
    const lastN = last === undefined ? 0 : parse(last).n
    if (lastN >= record.n) return
    const isNext = lastN === record.n - 1
    if (!isNext && !(last === undefined && (await hasDropped(steps)))) {
      throw new Error(`record ${record.n} cannot follow record ${lastN} on ${subject}`)
    }
    await steps.append(subject, Buffer.from(JSON.stringify(record)), last?.seq ?? 0)
  })
}

/** True if the stream has dropped messages; it always drops the oldest. */
async function hasDropped(steps: LogStore): Promise<boolean> {
  for await (const { seq } of steps.read(subjects.publicAll)) return seq > 1
  return false
}

/** A record with its position in the stream. */
export interface FeedEntry<R extends FeedRecord> {
  readonly record: R
  readonly seq: number
}

/** Stored records of `subject`, which may have wildcards, from `fromSeq` in stream order. */
export async function* readFeed<R extends FeedRecord>(
  steps: LogStore,
  subject: string,
  fromSeq: number,
): AsyncIterable<FeedEntry<R>> {
  for await (const stored of steps.read(subject, fromSeq)) {
    yield { record: parse<R>(stored), seq: stored.seq }
  }
}

export interface FollowOptions<R extends FeedRecord> {
  readonly steps: LogStore
  readonly bus: MessageSubscriber
  readonly clock: Clock
  readonly log: Logger
  /**
   * May have wildcards; the records of several streams are then delivered in the order in which
   * they were written.
   */
  readonly subject: string
  /** The first position in the stream to deliver; 0: everything that is stored. */
  readonly fromSeq: number
  readonly onRecord: (kept: FeedEntry<R>) => void
}

/**
 * Delivers every record from a position, in order, without gaps or repeats, until stopped. A
 * message on the subject is only a hint to read the stream: subscribers also receive messages that
 * the stream then refuses, such as those of a fenced writer.
 */
export class FeedFollower<R extends FeedRecord> {
  readonly #options: FollowOptions<R>
  readonly #live: BusService
  #nextSeq: number
  #reading = false
  #readAgain = false
  #stopped = false
  #timer: Timer | undefined

  constructor(options: FollowOptions<R>) {
    this.#options = options
    this.#nextSeq = options.fromSeq
    // Subscribed before the first read, so that no record is missed in between.
    this.#live = options.bus.subscribe(options.subject, () => void this.#catchUp())
    void this.#catchUp()
  }

  /** Everything before this position has been delivered. */
  get nextSeq(): number {
    return this.#nextSeq
  }

  stop(): void {
    this.#stopped = true
    this.#live.stop()
    this.#timer?.cancel()
  }

  async #catchUp(): Promise<void> {
    this.#readAgain = true
    if (this.#reading) return
    this.#reading = true
    this.#timer?.cancel()
    const { clock, log, subject } = this.#options
    try {
      while (this.#readAgain && !this.#stopped) await this.#read()
    } catch (error) {
      log.warn({ err: error, subject }, 'a feed could not be read; retrying')
    }
    this.#reading = false
    // A hint may be lost with a connection, so the stream is also read at an interval.
    if (!this.#stopped) {
      this.#timer = clock.timer(actorLimits.feedPollMs, () => void this.#catchUp())
    }
  }

  async #read(): Promise<void> {
    const { steps, subject, onRecord } = this.#options
    this.#readAgain = false
    for await (const kept of readFeed<R>(steps, subject, this.#nextSeq)) {
      if (this.#stopped) return
      this.#nextSeq = kept.seq + 1
      onRecord(kept)
    }
  }
}

function parse<R extends FeedRecord>(record: LogRecord): R {
  return JSON.parse(Buffer.from(record.data).toString()) as R
}
