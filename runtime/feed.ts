/**
 * Public streams: what an actor lets the world see, as JSON records numbered 1, 2, 3 … under one
 * subject. They are kept in stream STEPS; anyone may listen on the subject, and whoever must
 * miss nothing follows from a number.
 */
import type { Logger } from 'pino'
import { limits } from '../proto/limits.ts'
import { subjects } from '../proto/subjects.ts'
import type { Announcements, BusService } from './bus.ts'
import type { Clock, Timer } from './clock.ts'
import { Conflict, type LogRecord, type LogStore } from './store.ts'

export interface FeedRecord {
  readonly n: number
}

/**
 * Appends record `n`, once: a repeat after a crash or a lost acknowledgement changes nothing.
 * Throws when the number before it is not there, for a stream with a gap would be a lie. One whose
 * beginning was dropped, for its age or for want of room, goes on.
 */
export async function publish(steps: LogStore, subject: string, record: FeedRecord): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const last = await steps.last(subject)
    const lastN = last === undefined ? 0 : parse(last).n
    if (lastN >= record.n) return
    const isNext = lastN === record.n - 1
    if (!isNext && !(last === undefined && (await hasDropped(steps)))) {
      throw new Error(`record ${record.n} cannot follow record ${lastN} on ${subject}`)
    }
    try {
      await steps.append(subject, Buffer.from(JSON.stringify(record)), last?.seq ?? 0)
      return
    } catch (error) {
      // Somebody was quicker, most likely an earlier try of ours: the last record tells.
      if (!(error instanceof Conflict) || attempt >= limits.feedAttempts) throw error
    }
  }
}

/** Whether the stream holds less than was ever written to it; what it drops is the oldest. */
async function hasDropped(steps: LogStore): Promise<boolean> {
  for await (const { seq } of steps.read(subjects.publicAll)) return seq > 1
  return false
}

/** A record where it stands in the stream. */
export interface Kept<R extends FeedRecord> {
  readonly record: R
  readonly seq: number
}

/** What is kept on `subject`, which may have wildcards, from `fromSeq` on and in the order it came. */
export async function* readFeed<R extends FeedRecord>(
  steps: LogStore,
  subject: string,
  fromSeq: number,
): AsyncIterable<Kept<R>> {
  for await (const stored of steps.read(subject, fromSeq)) {
    yield { record: parse<R>(stored), seq: stored.seq }
  }
}

export interface FollowOptions<R extends FeedRecord> {
  readonly steps: LogStore
  readonly bus: Announcements
  readonly clock: Clock
  readonly log: Logger
  /** May have wildcards: several streams are then told in the order they were written. */
  readonly subject: string
  /** The first place in the stream that matters; 0 starts with what is kept. */
  readonly fromSeq: number
  readonly onRecord: (kept: Kept<R>) => void
}

/**
 * Tells every record from a place on, in order, without a gap or a repeat, until stopped. A message
 * on the subject only says that there is something to read: listeners also get what the stream then
 * refuses, such as a fenced writer's.
 */
export class Follower<R extends FeedRecord> {
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
    // Listening before the first read, so that nothing falls between the two.
    this.#live = options.bus.subscribe(options.subject, () => void this.#catchUp())
    void this.#catchUp()
  }

  /** Everything before this place has been told. */
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
      log.warn({ err: error, subject }, 'a feed could not be read; it is read again')
    }
    this.#reading = false
    // A hint may be lost with a connection: now and then one looks unasked.
    if (!this.#stopped) {
      this.#timer = clock.timer(limits.feedPollMs, () => void this.#catchUp())
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
