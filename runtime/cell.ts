/**
 * One live actor: decide → append to the fenced log → commit → publish and run effects, one event
 * at a time. Reads are answered from committed state. The cell stops for good when it is fenced.
 */
import type { Logger } from 'pino'
import type { AnyMachineSnapshot } from 'xstate'
import type { Command, CommandEnvelope, Reply } from '../proto/envelope.ts'
import { ServiceError, toWireError } from '../proto/errors.ts'
import { limits } from '../proto/limits.ts'
import {
  createdQuery,
  type ActorContext,
  type ActorKind,
  type EffectRequest,
} from './actor-kind.ts'
import { backoffMs, sleep, type Clock } from './clock.ts'
import { Deadlines } from './deadlines.ts'
import { EffectRunner } from './effects.ts'
import {
  append,
  EntryTooLarge,
  Fenced,
  readLast,
  type LastEntry,
  type LogEntry,
  type LogWriter,
  type PendingEffect,
} from './log.ts'
import { begin, persist, restore, step, type Step } from './machine.ts'
import type { Ownership } from './ownership.ts'
import { ReplyMemory } from './reply-memory.ts'
import type { ViewPublisher } from './views.ts'

export interface CellOptions {
  readonly kind: ActorKind
  readonly ownership: Ownership
  readonly incarnation: string
  readonly writer: LogWriter
  readonly clock: Clock
  readonly views: ViewPublisher
  readonly log: Logger
  /** The cell has stopped by itself: it was fenced. */
  readonly onFenced: (cell: Cell, reason: string) => void
}

export class Cell {
  readonly ownership: Ownership
  readonly #options: CellOptions
  readonly #deadlines: Deadlines
  readonly #replies = new ReplyMemory(limits.repliesRemembered)
  readonly #stopping = new AbortController()
  #effects: EffectRunner
  #snapshot!: AnyMachineSnapshot
  #n = 0
  #seq = 0
  #pending: readonly PendingEffect[] = []
  #requests: readonly string[] = []
  #tail: Promise<void> = Promise.resolve()
  #waiting = 0
  #settledWaiters: (() => void)[] = []
  /** How often each effect has restarted the cell. */
  readonly #restarts = new Map<string, number>()
  #lastUsedMs = 0

  private constructor(options: CellOptions) {
    this.#options = options
    this.ownership = options.ownership
    this.#effects = this.#newRunner()
    this.#deadlines = new Deadlines(options.clock, (name) => this.#ring(name))
  }

  /** Brings a new actor to life: its first entry says it was created. */
  static async create(options: CellOptions, input: unknown): Promise<Cell> {
    const cell = new Cell(options)
    const at = options.clock.now()
    await cell.#commit({ type: 'created' }, begin(options.kind.machine, input), at)
    return cell
  }

  /**
   * Takes over a recorded actor. The entry `recovered` is the fence: no
   * older owner can append after it.
   */
  static async recover(options: CellOptions, last: LastEntry): Promise<Cell> {
    const cell = new Cell(options)
    const { kind, ownership, writer } = options
    for (let attempt = 1; ; attempt++) {
      cell.#load(last)
      const at = options.clock.now()
      const event = { type: 'recovered', epoch: ownership.epoch, at }
      const interrupted = cell.#pending
      try {
        await cell.#commit(event, step(kind.machine, cell.#snapshot, event), at)
        cell.#resume(interrupted.filter(({ effectId }) => cell.#isPending(effectId)))
        return cell
      } catch (error) {
        if (!(error instanceof Fenced) || attempt >= limits.recoverAttempts) throw error
        const newer = await readLast(writer.log, kind.kind, ownership.id)
        if (!newer || newer.entry.epoch >= ownership.epoch) throw error
        last = newer
      }
    }
  }

  /** Ms of the monotonic clock since anything was asked or happened, while nothing is under way. */
  idleMs(): number {
    return this.#waiting > 0 ? 0 : this.#options.clock.monotonic() - this.#lastUsedMs
  }

  /** True while it has a deadline, work under way, or a process whose death it must hear of. */
  get mustStayLive(): boolean {
    const { deadlines } = this.#snapshot.context as ActorContext
    const hasDeadline = Object.keys(deadlines).length > 0
    const hasWork = this.#pending.length > 0 || this.#options.views.isBehind
    return hasDeadline || hasWork || this.dependencies.length > 0
  }

  /** Incarnations whose death the actor is told of. */
  get dependencies(): readonly string[] {
    return this.#options.kind.dependencies(this.#snapshot)
  }

  /** Handles one request; a repeat of a remembered one gets the same answer. */
  handle(envelope: CommandEnvelope): Promise<Reply> {
    return this.#replies.once(envelope.requestId, async () => {
      try {
        return { ok: true, value: await this.#answer(envelope) }
      } catch (error) {
        if (!(error instanceof ServiceError)) this.#warn(error, 'command failed')
        return { ok: false, error: toWireError(error) }
      }
    })
  }

  /** Hands the machine an event of the runtime's own: a deadline, an effect's outcome, a death. */
  deliver(event: Command): void {
    this.#inOwnTurn(() => this.#apply(event))
  }

  /** A deadline that a command before it in line has moved or lifted is not due any more. */
  #ring(name: string): void {
    this.#inOwnTurn(async () => {
      const { deadlines } = this.#snapshot.context as ActorContext
      const atMs = deadlines[name] ?? Infinity
      if (atMs <= this.#options.clock.now()) await this.#apply({ type: `deadline.${name}` })
    })
  }

  /** Ends the cell after what is under way; the actor stays in the log. */
  async stop(): Promise<void> {
    this.#halt()
    await this.#tail
    await this.#options.views.close()
  }

  async #answer({ command, requestId, deadlineMs, untilSettled }: CommandEnvelope) {
    const { kind, clock, writer } = this.#options
    if (clock.now() > deadlineMs + limits.clockSkewMs) {
      throw new ServiceError('timeout', 'The request arrived after its deadline.')
    }
    const isQuery = command.type === createdQuery || kind.queries.has(command.type)
    if (!isQuery && !kind.commands.has(command.type)) {
      throw new ServiceError('bad_request', `A ${kind.kind} knows no command ${command.type}.`)
    }
    kind.admit(this.#snapshot, command)
    if (!isQuery) await this.#enqueue(() => this.#apply(command, requestId))
    if (untilSettled) await this.#settled(command, deadlineMs)
    if (!writer.mayWrite()) throw moved()
    this.#lastUsedMs = clock.monotonic()
    return kind.reply(this.#snapshot, command, { epoch: this.ownership.epoch })
  }

  /**
   * Commands from outside wait in a mailbox of bounded size; the
   * runtime's own events always get in.
   */
  #enqueue(work: () => Promise<void>): Promise<void> {
    if (this.#stopping.signal.aborted) return Promise.reject(moved())
    if (this.#waiting >= limits.mailboxCommands) {
      const busy = new ServiceError('busy', 'Too many commands are waiting; try again shortly.')
      return Promise.reject(busy)
    }
    return this.#inTurn(work)
  }

  #inOwnTurn(work: () => Promise<void>): void {
    if (this.#stopping.signal.aborted) return
    this.#inTurn(work).catch((error: unknown) => {
      if (!(error instanceof ServiceError)) this.#warn(error, 'event failed')
    })
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#waiting++
    const done = this.#tail.then(work)
    this.#tail = done
      .catch((error: unknown) => {
        if (error instanceof Fenced) this.#fenced(error.message)
      })
      .finally(() => void this.#waiting--)
    return done.catch((error: unknown) => {
      throw error instanceof Fenced ? moved(error) : error
    })
  }

  async #apply(event: Command, requestId?: string): Promise<void> {
    if (this.#stopping.signal.aborted) throw moved()
    if (requestId !== undefined && this.#requests.includes(requestId)) return
    // Its effect was dropped while the word of it stood in line.
    if (requestId === undefined && isOutcome(event) && !this.#isPending(event.effectId)) return
    const { kind, clock } = this.#options
    if (requestId !== undefined) kind.admit(this.#snapshot, event)
    const at = clock.now()
    const next = step(kind.machine, this.#snapshot, { ...event, at })
    if (next.snapshot !== this.#snapshot) return this.#commit(event, next, at, requestId)
    // Nothing changed; a result nobody wanted still ends its effect, durably with the next entry.
    this.#pending = this.#pending.filter((effect) => effect.effectId !== event['effectId'])
  }

  /** Makes the step durable, then real: state, deadlines, effects, view, in this order. */
  async #commit(event: Command, next: Step, at: number, requestId?: string): Promise<void> {
    const { kind, ownership, incarnation, writer, views } = this.#options
    const n = this.#n + 1
    const started = next.requested.map((effect, i) => this.#named(effect, n, i))
    const open = this.#pending.filter((effect) => effect.effectId !== event['effectId'])
    const wanted = open.filter((effect) => kind.wants?.(next.snapshot, effect) ?? true)
    const entry: LogEntry = {
      v: 1,
      kind: kind.kind,
      id: ownership.id,
      n,
      epoch: ownership.epoch,
      writer: incarnation,
      at,
      event,
      snapshot: persist(kind.machine, next.snapshot),
      pending: [...wanted, ...started],
      requests: requestId === undefined ? this.#requests : this.#remember(requestId),
    }
    this.#seq = await append(writer, entry, this.#seq)
    this.#n = n
    this.#snapshot = next.snapshot
    this.#pending = entry.pending
    this.#requests = entry.requests
    this.#lastUsedMs = this.#options.clock.monotonic()
    if (this.#stopping.signal.aborted) return
    this.#deadlines.arm((next.snapshot.context as ActorContext).deadlines)
    for (const effect of open) if (!wanted.includes(effect)) this.#drop(effect)
    for (const effect of started) this.#effects.start(effect)
    this.#wakeSettled()
    views.publish({ n, view: kind.view(next.snapshot) })
  }

  #drop({ effectId }: PendingEffect): void {
    this.#restarts.delete(effectId)
    this.#effects.abort(effectId)
  }

  #isPending(effectId: string): boolean {
    return this.#pending.some((effect) => effect.effectId === effectId)
  }

  #named(effect: EffectRequest, n: number, index: number): PendingEffect {
    return { ...effect, effectId: `${this.ownership.id}:${n}:${index}` }
  }

  #remember(requestId: string): readonly string[] {
    return [...this.#requests, requestId].slice(-limits.requestsLogged)
  }

  #load({ entry, seq }: LastEntry): void {
    this.#snapshot = restore(this.#options.kind.machine, entry.snapshot)
    this.#n = entry.n
    this.#seq = seq
    this.#pending = entry.pending
    this.#requests = entry.requests
  }

  /** Picks up what was under way when the last owner stopped: `safe` again, `once` as not known. */
  #resume(interrupted: readonly PendingEffect[]): void {
    for (const effect of interrupted) {
      if (effect.retry === 'safe') this.#effects.start(effect)
      else {
        const { effectId, kind } = effect
        this.deliver({ type: 'effect.unknown', effectId, kind })
      }
    }
  }

  #newRunner(): EffectRunner {
    const { kind, ownership, clock, writer } = this.#options
    return new EffectRunner({
      actorId: ownership.id,
      epoch: ownership.epoch,
      handlers: kind.effects,
      state: () => this.#snapshot.context as ActorContext,
      clock,
      random: writer.random,
      mayAct: writer.mayWrite,
      outcomes: {
        done: (effect, event) => this.#effectDone(effect, event),
        refused: (effect, error) => this.#effectFailed(effect, error),
        exhausted: (effect, error) => void this.#restart(effect, error),
      },
    })
  }

  #effectDone(effect: PendingEffect, event: Command | undefined): void {
    const { effectId } = effect
    this.#restarts.delete(effectId)
    this.#inOwnTurn(async () => {
      try {
        await this.#apply({ ...(event ?? { type: 'effect.done' }), effectId })
      } catch (error) {
        if (!(error instanceof EntryTooLarge)) throw error
        this.#effectFailed(effect, error)
      }
    })
  }

  #effectFailed({ effectId, kind }: PendingEffect, error: unknown): void {
    this.#restarts.delete(effectId)
    this.deliver({ type: 'effect.failed', effectId, kind, error: toWireError(error) })
  }

  /**
   * An effect that keeps failing restarts the cell's effects, and
   * after a bound the machine is told.
   */
  async #restart(effect: PendingEffect, error: unknown): Promise<void> {
    const { effectId, kind, retry } = effect
    const restarts = (this.#restarts.get(effectId) ?? 0) + 1
    this.#warn(error, `effect ${kind} keeps failing, restart ${restarts}`)
    if (retry === 'once' || restarts > limits.cellRestarts) return this.#effectFailed(effect, error)
    this.#restarts.set(effectId, restarts)
    this.#effects.stop()
    const { clock, writer } = this.#options
    const { cellRestartMs, cellRestartMaxMs } = limits
    const waitMs = backoffMs(restarts, cellRestartMs, cellRestartMaxMs, writer.random())
    await sleep(clock, waitMs, this.#stopping.signal)
    // What was asked for since the old runner stopped is pending too,
    // so one resume starts all of it.
    this.#inOwnTurn(async () => {
      this.#effects = this.#newRunner()
      this.#resume(this.#pending)
    })
  }

  async #settled(command: Command, deadlineMs: number): Promise<void> {
    const { kind, clock } = this.#options
    while (!kind.settled(this.#snapshot, command)) {
      const leftMs = deadlineMs - clock.now()
      if (leftMs <= 0) throw new ServiceError('timeout', 'It has not come to rest in time.')
      await new Promise<void>((resolve) => {
        const timer = clock.timer(leftMs, resolve)
        this.#settledWaiters.push(() => {
          timer.cancel()
          resolve()
        })
      })
      if (this.#stopping.signal.aborted) throw moved()
    }
  }

  #wakeSettled(): void {
    const waiters = this.#settledWaiters
    this.#settledWaiters = []
    for (const wake of waiters) wake()
  }

  #fenced(reason: string): void {
    if (this.#stopping.signal.aborted) return
    this.#halt()
    this.#options.onFenced(this, reason)
  }

  #halt(): void {
    this.#stopping.abort()
    this.#deadlines.stop()
    this.#effects.stop()
    this.#wakeSettled()
  }

  #warn(error: unknown, message: string): void {
    const { log, kind, ownership } = this.#options
    log.warn({ err: error, kind: kind.kind, id: ownership.id }, message)
  }
}

/** Whether the runtime itself tells it, of an effect. */
function isOutcome(event: Command): event is Command & { readonly effectId: string } {
  return typeof event['effectId'] === 'string'
}

/** The caller asks again and finds the actor where it lives now. */
function moved(cause?: unknown): ServiceError {
  return new ServiceError('draining', 'The actor is moving to another host; ask again.', {}, cause)
}
