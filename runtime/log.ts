/**
 * The history of one actor: each entry is an event and the whole state after it, so recovery
 * is one read of the last. Appends are compare-and-set on the subject's last sequence: that is
 * the fence. (Protocol: README.md.)
 */
import { decode, encode } from '../proto/codec.ts'
import type { ActorMessage } from '../proto/envelope.ts'
import { ServiceError } from '../proto/errors.ts'
import { limits } from '../proto/limits.ts'
import { subjects } from '../proto/subjects.ts'
import type { EffectRequest } from './actor-kind.ts'
import { backoffMs, sleep, type Clock } from './clock.ts'
import { Conflict, StoreFull, StoreUnavailable, type LogStore } from './store.ts'

export interface PendingEffect extends EffectRequest {
  readonly effectId: string
}

export interface LogEntry {
  readonly v: 1
  readonly kind: string
  readonly id: string
  /** 1, 2, 3 … without a gap. */
  readonly n: number
  readonly epoch: number
  readonly writer: string
  /** Wall-clock ms. */
  readonly at: number
  readonly event: ActorMessage
  /** The machine's persisted snapshot after the event. */
  readonly snapshot: unknown
  /** Every effect that has no result yet, those that this entry asks for among them. */
  readonly pending: readonly PendingEffect[]
  /** The last few requests that made entries, so that a repeat is known after a fail-over too. */
  readonly requests: readonly string[]
}

/** Another owner has written, or our lease is over: this cell must stop. */
export class Fenced extends Error {
  constructor(why: string) {
    super(why)
    this.name = 'Fenced'
  }
}

/** Whoever asked is told; the history goes on without it. */
export class EntryTooLarge extends ServiceError {
  constructor({ kind, id, n }: LogEntry, bytes: number) {
    const limit = limits.entryBytes
    super('too_large', `Entry ${n} of ${kind} ${id} would have ${bytes} bytes.`, { limit })
    this.name = 'EntryTooLarge'
  }
}

export interface LastEntry {
  readonly entry: LogEntry
  readonly seq: number
}

export interface LogWriter {
  readonly log: LogStore
  readonly clock: Clock
  readonly random: () => number
  /** Asserted before every append: a lapsed lease writes nothing. */
  readonly mayWrite: () => boolean
}

/**
 * Appends and returns the sequence. When nobody can say whether an append landed, the last message
 * is read: ours means yes, the expected one means not yet, any other means fenced. Message dedup is
 * not asked: it differs by version. Throws {@link StoreFull} for the first entry of an actor that
 * there is no room for.
 */
export async function append(writer: LogWriter, entry: LogEntry, expectedSeq: number) {
  const subject = subjects.log(entry.kind, entry.id)
  const data = encode(entry)
  if (data.byteLength > limits.entryBytes) throw new EntryTooLarge(entry, data.byteLength)
  for (let attempt = 1; ; attempt++) {
    if (!writer.mayWrite()) throw new Fenced('the lease is over')
    try {
      return await writer.log.append(subject, data, expectedSeq)
    } catch (error) {
      if (!(error instanceof Conflict || error instanceof StoreUnavailable)) throw error
      // There is no room for a new actor. What happens to one that is there must not be lost: it
      // waits for room.
      if (error instanceof StoreFull && entry.n === 1) throw error
      const landed = await whatLanded(writer, subject, entry, expectedSeq)
      if (landed !== undefined) return landed
    }
    const { appendRetryMs, appendRetryMaxMs } = limits
    const waitMs = backoffMs(attempt, appendRetryMs, appendRetryMaxMs, writer.random())
    await sleep(writer.clock, waitMs)
  }
}

/** The last entry of an actor, or nothing when it has no history. */
export async function readLast(log: LogStore, kind: string, id: string) {
  const record = await log.last(subjects.log(kind, id))
  return record && { entry: decode<LogEntry>(record.data), seq: record.seq }
}

async function whatLanded(
  writer: LogWriter,
  subject: string,
  entry: LogEntry,
  expectedSeq: number,
): Promise<number | undefined> {
  try {
    const last = await writer.log.last(subject)
    if ((last?.seq ?? 0) === expectedSeq) return undefined
    if (last === undefined) throw new Fenced('the log was removed')
    const found = decode<LogEntry>(last.data)
    if (found.writer === entry.writer && found.epoch === entry.epoch && found.n === entry.n) {
      return last.seq
    }
    throw new Fenced(`${found.writer} wrote entry ${found.n} in epoch ${found.epoch}`)
  } catch (error) {
    if (error instanceof StoreUnavailable) return undefined
    throw error
  }
}
