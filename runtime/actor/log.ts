/**
 * The history of one actor: each entry contains an event and the whole state after it, so recovery
 * reads only the last entry. Appends are compare-and-set on the subject's last sequence: that is
 * the fence. (Protocol: README.md.)
 */
import { decode, encode } from '../../proto/codec.ts'
import type { ActorMessage } from '../../proto/envelope.ts'
import { ServiceError } from '../../proto/errors.ts'
import { subjects } from '../../proto/subjects.ts'
import type { EffectRequest } from './actor-kind.ts'
import { backoffMs, sleep, type Clock } from '../lib/clock.ts'
import { StoreConflict, StoreFull, StoreUnavailable, type LogStore } from '../store/store.ts'
import type { LogRoom } from './log-room.ts'
import { actorLimits } from './limits.ts'

export interface PendingEffect extends EffectRequest {
  readonly effectId: string
}

export interface LogEntry {
  readonly v: 1
  readonly kind: string
  readonly id: string
  /** 1, 2, 3 … without gaps. */
  readonly n: number
  readonly epoch: number
  readonly writer: string
  /** Wall-clock ms. */
  readonly at: number
  readonly event: ActorMessage
  /** The machine's persisted snapshot after the event. */
  readonly snapshot: unknown
  /** Every effect without a result, including those that this entry requests. */
  readonly pending: readonly PendingEffect[]
  /**
   * Ids of the requests that made entries and may be repeated, so that repeats are recognised after a
   * fail-over (`requests/done-requests.ts`).
   */
  readonly requests: readonly string[]
}

/** Another owner has written, or our lease has ended: this cell must stop. */
export class FencedError extends Error {
  constructor(why: string) {
    super(why)
    this.name = 'FencedError'
  }
}

/** The request fails; the history continues without the entry. */
export class EntryTooLarge extends ServiceError {
  constructor({ kind, id, n }: LogEntry, bytes: number) {
    const limit = actorLimits.entryBytes
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
  /** Checked before every append: nothing is written without a valid lease. */
  readonly mayWrite: () => boolean | Promise<boolean>
  readonly room: LogRoom
}

export interface AppendOptions {
  /** True if someone waits for the entry and can be refused: then it does not wait for room. */
  readonly isRefusable: boolean
  /** True if it ends something: then it may use the reserve, as entries that cannot be refused. */
  readonly isEnd: boolean
  /** Removes older entries of the actor; absent if they must stay. */
  readonly makeRoom?: (() => Promise<void>) | undefined
}

/**
 * Appends and returns the sequence. If it is unknown whether an append succeeded, the last message
 * is read: if it is ours, it did; if it is the expected one, not yet; otherwise we are fenced.
 * Message deduplication is not used, because it differs between versions. Throws {@link StoreFull}
 * if there is no room for the first entry of an actor, or for one that may be refused; an end is
 * refused only if the reserve is used up too.
 */
export async function appendEntry(
  writer: LogWriter,
  entry: LogEntry,
  expectedSeq: number,
  { isRefusable, isEnd, makeRoom }: AppendOptions,
) {
  const subject = subjects.log(entry.kind, entry.id)
  const data = encode(entry)
  if (data.byteLength > actorLimits.entryBytes) throw new EntryTooLarge(entry, data.byteLength)
  const { room } = writer
  const usesReserve = entry.n > 1 && (isEnd || !isRefusable)
  if (room.isTight && !usesReserve) throw new StoreFull(`${subject}: the rest is in reserve`)
  let mayHaveLanded = false
  for (let attempt = 1; ; attempt++) {
    if (!(await writer.mayWrite())) throw new FencedError('the lease has ended')
    try {
      const seq = await writer.log.append(subject, data, expectedSeq)
      return { seq, bytes: data.byteLength }
    } catch (error) {
      if (!(error instanceof StoreConflict || error instanceof StoreUnavailable)) throw error
      const isFull = error instanceof StoreFull
      mayHaveLanded ||= !isFull
      // A new actor is refused if the store is full.
      if (isFull && entry.n === 1) throw error
      const landed = await whatLanded(writer, subject, entry, expectedSeq)
      if (landed !== undefined) return { seq: landed, bytes: data.byteLength }
      // So is a request. Other events of an existing actor must not be lost: they wait for room.
      const hasTried = attempt > 1 || !makeRoom
      const isMade = isFull && hasTried && usesReserve && (await room.release())
      if (isFull && isRefusable && !mayHaveLanded && hasTried && !isMade) throw error
      if (isFull && attempt === 1) await makeRoom?.()
    }
    const { appendRetryMs, appendRetryMaxMs } = actorLimits
    const waitMs = backoffMs(attempt, appendRetryMs, appendRetryMaxMs, writer.random())
    await sleep(writer.clock, waitMs)
  }
}

/** The last entry of an actor; undefined without a history. */
export async function readLastEntry(log: LogStore, kind: string, id: string) {
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
    if (last === undefined) throw new FencedError('the log was removed')
    const found = decode<LogEntry>(last.data)
    if (found.writer === entry.writer && found.epoch === entry.epoch && found.n === entry.n) {
      return last.seq
    }
    throw new FencedError(`${found.writer} wrote entry ${found.n} in epoch ${found.epoch}`)
  } catch (error) {
    if (error instanceof StoreUnavailable) return undefined
    throw error
  }
}
