/**
 * The state of one actor according to its log: the machine's snapshot and the effects without a
 * result. It changes only by a successful append.
 */
import type { AnyMachineSnapshot } from 'xstate'
import type { ActorMessage } from '../../../proto/envelope.ts'
import type { ActorContext, AnyActorKind, EffectRequest } from '../actor-kind.ts'
import {
  appendEntry,
  type LastEntry,
  type LogEntry,
  type LogWriter,
  type PendingEffect,
} from '../log.ts'
import { StoreUnavailable } from '../../store/store.ts'
import { subjects } from '../../../proto/subjects.ts'
import { requestsToLog, type LoggedRequest } from '../requests/done-requests.ts'
import { persistSnapshot, restoreSnapshot, type MachineStep } from './machine.ts'
import type { Ownership } from '../ownership/ownership.ts'
import { actorLimits } from '../limits.ts'

export interface ActorStateOptions {
  readonly kind: AnyActorKind
  readonly ownership: Ownership
  readonly incarnation: string
  readonly writer: LogWriter
}

export interface EntryOrigin {
  /** Wall-clock ms. */
  readonly at: number
  /** The request that caused it, if any. */
  readonly request?: LoggedRequest | undefined
}

/** How an entry changes the pending effects. */
export interface EffectChange {
  readonly started: readonly PendingEffect[]
  /** Effects that are no longer wanted. */
  readonly dropped: readonly PendingEffect[]
}

export class ActorState {
  readonly #options: ActorStateOptions
  #snapshot!: AnyMachineSnapshot
  #n = 0
  #seq = 0
  /** Of the entries before the last one; those of an earlier owner count as one byte. */
  #olderBytes = 0
  #lastBytes = 0
  #pending: readonly PendingEffect[] = []
  #requests: readonly string[] = []

  constructor(options: ActorStateOptions) {
    this.#options = options
  }

  get snapshot(): AnyMachineSnapshot {
    return this.#snapshot
  }

  get context(): ActorContext {
    return actorContextOf(this.#snapshot)
  }

  /** The number of the actor's last entry. */
  get n(): number {
    return this.#n
  }

  /** Size of the actor's last entry. */
  get entryBytes(): number {
    return this.#lastBytes
  }

  get pending(): readonly PendingEffect[] {
    return this.#pending
  }

  isPending(effectId: string): boolean {
    return this.#pending.some((effect) => effect.effectId === effectId)
  }

  /** True if the request has an entry in the log already. */
  hasDone(requestId: string): boolean {
    return this.#requests.includes(requestId)
  }

  load({ entry, seq }: LastEntry): void {
    this.#snapshot = restoreSnapshot(this.#options.kind.machine, entry.snapshot)
    this.#n = entry.n
    this.#seq = seq
    this.#olderBytes = entry.n > 1 ? 1 : 0
    this.#lastBytes = 1
    this.#pending = entry.pending
    this.#requests = entry.requests
  }

  /**
   * Removes the entries before the last one, if the kind allows it. If the store does not answer,
   * they stay until the next call.
   */
  async trim(): Promise<void> {
    const { kind, ownership, writer } = this.#options
    const bytes = this.#olderBytes
    if (kind.trimsLog !== true || bytes === 0) return
    this.#olderBytes = 0
    try {
      await writer.log.trim(subjects.log(ownership.kind, ownership.id), this.#seq)
    } catch (error) {
      this.#olderBytes += bytes
      if (!(error instanceof StoreUnavailable)) throw error
    }
  }

  /** Ends the effect of an outcome that changes nothing else; durable with the next entry. */
  settle(event: ActorMessage): void {
    this.#pending = this.#without(event)
  }

  /**
   * Throws `FencedError` if another owner has written, and `busy` if too many requests are open.
   */
  async append(
    event: ActorMessage,
    next: MachineStep,
    { at, request }: EntryOrigin,
  ): Promise<EffectChange> {
    const { kind, ownership, incarnation, writer } = this.#options
    const n = this.#n + 1
    const started = next.requested.map((effect, i) => this.#named(effect, n, i))
    const open = this.#without(event)
    const wanted = open.filter((effect) => kind.wants?.(next.snapshot, effect) ?? true)
    const entry: LogEntry = {
      v: 1,
      kind: kind.protocol.kind,
      id: ownership.id,
      n,
      epoch: ownership.epoch,
      writer: incarnation,
      at,
      event,
      snapshot: persistSnapshot(kind.machine, next.snapshot),
      pending: [...wanted, ...started],
      requests: requestsToLog(this.#requests, request, at),
    }
    const { seq, bytes } = await appendEntry(writer, entry, this.#seq, {
      isRefusable: request !== undefined,
      isEnd: kind.protocol.verbs[event.type]?.isEnd === true,
      makeRoom: kind.trimsLog && (() => this.trim()),
    })
    this.#seq = seq
    this.#olderBytes += this.#lastBytes
    this.#lastBytes = bytes
    this.#n = n
    this.#snapshot = next.snapshot
    this.#pending = entry.pending
    this.#requests = entry.requests
    if (this.#olderBytes + bytes > actorLimits.logBytes) await this.trim()
    return { started, dropped: open.filter((effect) => !wanted.includes(effect)) }
  }

  #without(event: ActorMessage): readonly PendingEffect[] {
    if (!isEffectOutcome(event)) return this.#pending
    return this.#pending.filter(({ effectId }) => effectId !== event.effectId)
  }

  #named(effect: EffectRequest, n: number, index: number): PendingEffect {
    return { ...effect, effectId: effectIdOf(this.#options.ownership.id, n, index) }
  }
}

/** True if the event reports how an effect ended. */
export function isEffectOutcome(
  event: ActorMessage,
): event is ActorMessage & { readonly effectId: string } {
  return 'effectId' in event && typeof event.effectId === 'string'
}

/** Of the effect at a position among those that an entry requests. */
export const effectIdOf = (actorId: string, n: number, index: number): string =>
  `${actorId}:${n}:${index}`

/** The part of a machine's context that every kind has. */
export const actorContextOf = ({ context }: AnyMachineSnapshot): ActorContext => context
