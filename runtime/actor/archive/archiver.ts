/**
 * Moves what has ended out of the buckets and the log, so that these grow only with what runs: packs
 * the last views of ended actors into segments, and a while later, when every gateway has read
 * those, removes log, ownership record and view. Runs beside the fan-out of webhooks, because an
 * actor's log may go only when its events have been delivered. If two hosts do this at the same
 * time, or one dies between the two steps, an actor is in two segments, and readers use the later
 * one.
 */
import type { Logger } from 'pino'
import { decode } from '../../../proto/codec.ts'
import { buckets, subjects } from '../../../proto/subjects.ts'
import type { Clock, Timer } from '../../lib/clock.ts'
import { awaitStore } from '../../store/await-store.ts'
import {
  StoreConflict,
  type BucketChange,
  type BucketWatch,
  type SharedLog,
  type Store,
} from '../../store/store.ts'
import type { AnyActorKind } from '../actor-kind.ts'
import { actorLimits } from '../limits.ts'
import { endedActorOf, removeActor, unansweredOf, type EndedActor } from '../removal.ts'
import type { ViewRecord } from '../views.ts'
import { packSegment, unpackSegment } from './segment.ts'
import { prune, type Kept } from './prune.ts'

export interface ArchiverOptions {
  readonly store: Store & { readonly archive: SharedLog }
  readonly clock: Clock
  readonly log: Logger
  /** The kinds whose ended actors accept nothing more, with their `forget`. */
  readonly kinds: readonly Pick<AnyActorKind, 'protocol' | 'forget'>[]
  /**
   * Wall-clock ms; what ended before it has been read by everything that reads logs. Undefined while
   * another host does this.
   */
  readonly handledUntilMs: () => number | undefined
  readonly kept: Kept
  /** True if the store has so little room that nothing waits. */
  readonly isTight?: () => Promise<boolean>
  /** Shorter in tests. */
  readonly waits?: Partial<ArchiveWaits>
}

interface ArchiveWaits {
  /** How long an ended actor stays where it is. */
  readonly afterMs: number
  /** How long ended actors wait for others with which they fill a segment. */
  readonly gatherMs: number
  /** How long packed actors also stay where they were. */
  readonly settleMs: number
}

interface Ended extends EndedActor {
  /** Its record among the views. */
  readonly bytes: Uint8Array
}

export class Archiver {
  readonly #options: ArchiverOptions
  readonly #waits: ArchiveWaits
  /** By key. */
  readonly #ended = new Map<string, Ended>()
  /** Packed, by key, with the monotonic time at which they may be removed. */
  readonly #packed = new Map<string, number>()
  #watches: readonly BucketWatch[] = []
  #prunedAtMs = -Infinity
  #timer: Timer | undefined
  #stopped = false

  constructor(options: ArchiverOptions) {
    const { archiveAfterMs: afterMs, archiveGatherMs: gatherMs } = actorLimits
    this.#options = options
    this.#waits = { afterMs, gatherMs, settleMs: actorLimits.archiveSettleMs, ...options.waits }
    this.#schedule()
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
    this.#rest()
  }

  /** Packs what may go, removes what was packed before, and returns how many of each. */
  async sweep(): Promise<{ readonly packed: number; readonly removed: number }> {
    const handledUntilMs = this.#options.handledUntilMs()
    if (handledUntilMs === undefined) {
      this.#rest()
      return { packed: 0, removed: 0 }
    }
    await this.#watch()
    const removed = await this.#removePacked()
    const packed = await this.#pack(handledUntilMs)
    await this.#pruneAll()
    return { packed, removed }
  }

  /** Follows which actors have ended; what runs is not held. */
  async #watch(): Promise<void> {
    if (this.#watches.length > 0) return
    const { store, clock, log, kinds } = this.#options
    const views = store.bucket(buckets.views)
    const opened = kinds.map(({ protocol: { kind } }) =>
      awaitStore({ clock, log }, `what has ended of kind ${kind}`, () =>
        views.watch((change) => this.#see(change), `${kind}.`),
      ),
    )
    this.#watches = await Promise.all(opened)
    if (this.#stopped) this.#rest()
  }

  #rest(): void {
    for (const watch of this.#watches) watch.stop()
    this.#watches = []
    this.#ended.clear()
    this.#packed.clear()
  }

  #see(change: BucketChange): void {
    const { key } = change
    if (change.type === 'put') {
      const { value: bytes } = change
      const actor = endedActorOf(key, decode<ViewRecord>(bytes).view)
      if (actor) return void this.#ended.set(key, { ...actor, bytes })
    }
    this.#ended.delete(key)
    this.#packed.delete(key)
  }

  async #pack(handledUntilMs: number): Promise<number> {
    const { clock, isTight } = this.#options
    const { afterMs, gatherMs } = (await isTight?.()) ? noWaits : this.#waits
    const beforeMs = Math.min(handledUntilMs, clock.now() - afterMs)
    const groups = new Map<string, Ended[]>()
    for (const ended of this.#ended.values()) {
      if (ended.endedAtMs > beforeMs || this.#packed.has(ended.key)) continue
      const subject = subjects.archive(ended.kind, ended.tenant)
      const group = groups.get(subject) ?? []
      groups.set(subject, group)
      group.push(ended)
    }
    let packed = 0
    for (const [subject, group] of groups) {
      group.sort((a, b) => a.endedAtMs - b.endedAtMs)
      const isDue = group[0]!.endedAtMs <= clock.now() - afterMs - gatherMs
      for (const part of partsOf(group)) {
        const isFull = part.length >= actorLimits.segmentEntries
        if (this.#stopped || !(isFull || isDue)) break
        if (!(await this.#append(subject, part))) break
        packed += part.length
      }
    }
    return packed
  }

  /** False if another host was faster. */
  async #append(subject: string, part: readonly Ended[]): Promise<boolean> {
    const { store, clock, kept } = this.#options
    const last = await store.archive.last(subject)
    const before = last && unpackSegment(last)
    const records = part.map(({ bytes }) => decode<ViewRecord>(bytes))
    const views = records.map(({ view }) => view)
    const elsewhere = Object.fromEntries(
      records.flatMap(({ view, elsewhereBytes }) =>
        elsewhereBytes ? [[view.id, elsewhereBytes] as const] : [],
      ),
    )
    const made = (bytes: number) =>
      packSegment({
        keptFrom: before?.keptFrom ?? 0,
        upTo: {
          entries: (before?.upTo.entries ?? 0) + part.length,
          bytes: (before?.upTo.bytes ?? 0) + bytes,
        },
        ...{ views, elsewhere },
      })
    try {
      await store.archive.append(subject, made(made(0).byteLength), last?.seq ?? 0)
    } catch (error) {
      if (error instanceof StoreConflict) return false
      throw error
    }
    const removableAtMs = clock.monotonic() + this.#waits.settleMs
    for (const { key } of part) this.#packed.set(key, removableAtMs)
    await prune({ ...this.#options, ...kept }, subject)
    return true
  }

  async #removePacked(): Promise<number> {
    const { store, clock } = this.#options
    const due = [...this.#packed].filter(([, atMs]) => atMs <= clock.monotonic())
    let removed = 0
    for (let at = 0; at < due.length && !this.#stopped; at += actorLimits.retentionSlice) {
      const slice = due.slice(at, at + actorLimits.retentionSlice)
      const removals = slice.map(async ([key]) => {
        const ended = this.#ended.get(key)
        if (ended) await removeActor(store, ended)
        this.#ended.delete(key)
        this.#packed.delete(key)
      })
      const unanswered = await unansweredOf(removals)
      if (unanswered.length === slice.length) throw unanswered[0]!
      removed += slice.length - unanswered.length
    }
    return removed
  }

  /** What expires without that anything is added. */
  async #pruneAll(): Promise<void> {
    const { store, clock, kept } = this.#options
    if (clock.monotonic() < this.#prunedAtMs + actorLimits.archivePruneMs) return
    for (const subject of await store.archive.subjects(subjects.archiveAll)) {
      if (this.#stopped) return
      await prune({ ...this.#options, ...kept }, subject)
    }
    this.#prunedAtMs = clock.monotonic()
  }

  #schedule(): void {
    if (this.#stopped) return
    this.#timer = this.#options.clock.timer(actorLimits.archiveSweepMs, () => void this.#turn())
  }

  async #turn(): Promise<void> {
    const { log } = this.#options
    try {
      const { packed, removed } = await this.sweep()
      if (packed + removed > 0) log.info({ packed, removed }, 'archive: ended actors moved')
    } catch (error) {
      if (!this.#stopped) {
        log.warn({ err: error }, 'archive: the sweep failed and will be repeated later')
      }
    }
    this.#schedule()
  }
}

/** Long enough for an actor to be out of memory. */
const noWaits = { afterMs: actorLimits.passivateAfterMs, gatherMs: 0 } as const

/** In parts that fill a segment each; the last one may be smaller. */
function* partsOf(group: readonly Ended[]): Iterable<readonly Ended[]> {
  let part: Ended[] = []
  let bytes = 0
  for (const ended of group) {
    const isFull = bytes + ended.bytes.byteLength > actorLimits.segmentBytes
    if (part.length > 0 && (isFull || part.length === actorLimits.segmentEntries)) {
      yield part
      ;[part, bytes] = [[], 0]
    }
    part.push(ended)
    bytes += ended.bytes.byteLength
  }
  if (part.length > 0) yield part
}
