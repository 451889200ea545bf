/**
 * One live actor: decide → append to the fenced log → commit → publish and run effects, one event
 * at a time. Queries are answered from committed state. The cell stops for good when it is fenced.
 */
import { defined } from '../../../proto/defined.ts'
import type { Logger } from 'pino'
import type { ActorMessage, CommandEnvelope, PlaceReply } from '../../../proto/envelope.ts'
import { ServiceError, toWireError } from '../../../proto/errors.ts'
import { limits } from '../../../proto/limits.ts'
import type { AnyActorKind, RuntimeEvent } from '../actor-kind.ts'
import { ActorState, isEffectOutcome, type EntryOrigin } from './actor-state.ts'
import { CellEffects } from './cell-effects.ts'
import type { Clock } from '../../lib/clock.ts'
import { Deadlines } from './deadlines.ts'
import { FencedError, readLastEntry, type LastEntry, type LogWriter } from '../log.ts'
import { firstStepOf, stepMachine, type MachineStep } from './machine.ts'
import type { Ownership } from '../ownership/ownership.ts'
import { ReplyMemory } from './reply-memory.ts'
import { SettledWaiters } from './settled-waiters.ts'
import type { Speculation } from './speculation.ts'
import { ActorMoved, Mailbox } from './mailbox.ts'
import type { ViewPublisher } from '../views.ts'
import { storageFull, StoreFull } from '../../store/store.ts'
import { activeTracer } from '../../tracing/tracer.ts'
import { actorLimits } from '../limits.ts'

export interface CellOptions {
  readonly kind: AnyActorKind
  readonly ownership: Ownership
  readonly incarnation: string
  readonly writer: LogWriter
  readonly clock: Clock
  readonly views: ViewPublisher
  readonly log: Logger
  /** Called when the cell has stopped because it was fenced. */
  readonly onFenced: (cell: Cell, reason: string) => void
}

export class Cell {
  readonly ownership: Ownership
  readonly #options: CellOptions
  readonly #deadlines: Deadlines
  readonly #replies = new ReplyMemory(actorLimits.repliesRemembered)
  readonly #stopping = new AbortController()
  readonly #state: ActorState
  readonly #turns: Mailbox
  readonly #effects: CellEffects
  readonly #settling: SettledWaiters
  #lastUsedMs = 0

  private constructor(options: CellOptions, speculation?: Speculation) {
    this.#options = options
    this.ownership = options.ownership
    this.#state = new ActorState(options)
    this.#turns = new Mailbox({
      signal: this.#stopping.signal,
      onFenced: (reason) => this.#fenced(reason),
      onError: (error) => this.#warn(error, 'event failed'),
    })
    this.#effects = this.#newEffects(speculation)
    this.#settling = new SettledWaiters(options.clock)
    this.#deadlines = new Deadlines(options.clock, (name) => this.#onDeadlineTimer(name))
  }

  /** Creates a new actor; its first entry records the creation. */
  static create(options: CellOptions, input: unknown): Promise<Cell> {
    return Cell.begin(options, firstStepOf(options.kind, input))
  }

  /** The same for a first step of which some effects may have begun. */
  static async begin(
    options: CellOptions,
    firstStep: MachineStep,
    speculation?: Speculation,
  ): Promise<Cell> {
    const cell = new Cell(options, speculation)
    await cell.#commit({ type: 'created' }, firstStep, { at: options.clock.now() })
    return cell
  }

  /**
   * Takes over an existing actor. The entry `recovered` is the fence: no older owner can append
   * after it.
   */
  static async recover(options: CellOptions, last: LastEntry): Promise<Cell> {
    const cell = new Cell(options)
    const { kind, ownership, writer } = options
    for (let attempt = 1; ; attempt++) {
      cell.#state.load(last)
      const at = options.clock.now()
      const event = { type: 'recovered', epoch: ownership.epoch, at }
      const interrupted = cell.#state.pending
      try {
        await cell.#commit(event, stepMachine(kind.machine, cell.#state.snapshot, event), { at })
        cell.#effects.resume(interrupted.filter(({ effectId }) => cell.#state.isPending(effectId)))
        return cell
      } catch (error) {
        if (!(error instanceof FencedError) || attempt >= actorLimits.recoverAttempts) throw error
        const newer = await readLastEntry(writer.log, kind.protocol.kind, ownership.id)
        if (!newer || newer.entry.epoch >= ownership.epoch) throw error
        last = newer
      }
    }
  }

  /**
   * Ms of the monotonic clock since the last request or event; 0 while something is in progress.
   */
  idleMs(): number {
    return this.#turns.isBusy ? 0 : this.#options.clock.monotonic() - this.#lastUsedMs
  }

  /**
   * True while the actor has a deadline, work in progress, or a process whose death it must know
   * about.
   */
  get mustStayLive(): boolean {
    const { deadlines } = this.#state.context
    const hasDeadline = Object.keys(deadlines).length > 0
    const hasWork = this.#state.pending.length > 0 || this.#options.views.isBehind
    return hasDeadline || hasWork || this.dependencies.length > 0
  }

  /** Incarnations whose death is reported to the actor. */
  get dependencies(): readonly string[] {
    return this.#options.kind.dependencies(this.#state.snapshot)
  }

  /** Those of them that it knows to be silent; undefined if silence is not reported to it. */
  get knownSilent(): readonly string[] | undefined {
    return this.#options.kind.knownSilent?.(this.#state.snapshot)
  }

  /** Handles one request; a repeated request gets the remembered answer. */
  handle(envelope: CommandEnvelope): Promise<PlaceReply> {
    return this.#replies.once(envelope.requestId, async () => {
      try {
        return { ok: true, value: await this.#answer(envelope) }
      } catch (error) {
        if (error instanceof ActorMoved) return { elsewhere: true }
        const refusal = error instanceof StoreFull ? storageFull(error) : error
        if (!(refusal instanceof ServiceError)) this.#warn(error, 'command failed')
        return { ok: false, error: toWireError(refusal) }
      }
    })
  }

  /** Queues an event of the runtime: a deadline, an effect's outcome, a death. */
  deliver(event: RuntimeEvent): void {
    this.#turns.tell(() => this.#apply(event))
  }

  /** Runs outside of the trace of the request during which the timer was set. */
  #onDeadlineTimer(name: string): void {
    const tracer = activeTracer()
    if (tracer) tracer.detached(() => this.#queueDeadline(name))
    else this.#queueDeadline(name)
  }

  /** Skips a deadline that an earlier command in the queue has moved or removed. */
  #queueDeadline(name: string): void {
    this.#turns.tell(async () => {
      const atMs = this.#state.context.deadlines[name] ?? Infinity
      if (atMs <= this.#options.clock.now()) await this.#apply({ type: `deadline.${name}` })
    })
  }

  /**
   * For an actor that is no longer used: if it has ended, its last entry is all that is read again.
   * Not done at its end, because events of webhooks are derived from its last entries.
   */
  async trimEnded(): Promise<void> {
    const { endedAtMs } = this.#options.kind.view(this.#state.snapshot)
    if (endedAtMs !== undefined) await this.#state.trim()
  }

  /** Stops the cell after the work in progress; the actor stays in the log. */
  async stop(): Promise<void> {
    this.#halt()
    await this.#turns.settled()
    await this.#options.views.close()
  }

  async #answer(envelope: CommandEnvelope) {
    const { command, requestId, deadlineMs, tenant, untilSettled } = envelope
    const { kind, clock, writer } = this.#options
    refuseLate(deadlineMs, clock.now())
    const { kind: name, verbs } = kind.protocol
    if (tenant !== undefined && tenant !== this.#state.context.tenant) throw noSuchActor(name)
    const verb = Object.hasOwn(verbs, command.type) ? verbs[command.type] : undefined
    if (!verb) {
      throw new ServiceError('bad_request', `A ${name} has no command ${command.type}.`)
    }
    // `admit` would refuse a repeat of a request that a previous owner has carried out.
    if (!this.#state.hasDone(requestId)) kind.admit(this.#state.snapshot, command, clock.now())
    if (verb.mode === 'command') await this.#turns.ask(() => this.#apply(command, envelope))
    if (untilSettled) await this.#settled(command, deadlineMs)
    if (!(await writer.mayWrite())) throw new ActorMoved()
    this.#lastUsedMs = clock.monotonic()
    const answer = kind.queries[command.type]!
    return answer(this.#state.snapshot, command, { epoch: this.ownership.epoch })
  }

  async #apply(event: ActorMessage, request?: CommandEnvelope): Promise<void> {
    if (this.#stopping.signal.aborted) throw new ActorMoved()
    if (request && this.#state.hasDone(request.requestId)) return
    // The effect was dropped while its outcome was queued.
    if (!request && isEffectOutcome(event) && !this.#state.isPending(event.effectId)) return
    const { kind, clock } = this.#options
    const at = clock.now()
    if (request) {
      // It may have waited here until after its id was forgotten.
      refuseLate(request.deadlineMs, at)
      kind.admit(this.#state.snapshot, event, at)
    }
    const next = stepMachine(kind.machine, this.#state.snapshot, { ...event, at })
    if (next.snapshot !== this.#state.snapshot) return this.#commit(event, next, { at, request })
    this.#state.settle(event)
  }

  /** Appends the step, then applies it: state, deadlines, effects, view, in this order. */
  async #commit(event: ActorMessage, next: MachineStep, occasion: EntryOrigin): Promise<void> {
    const { kind, clock, views } = this.#options
    const { started, dropped } = await this.#state.append(event, next, occasion)
    this.#lastUsedMs = clock.monotonic()
    if (this.#stopping.signal.aborted) return
    const { n, snapshot, context, entryBytes } = this.#state
    this.#deadlines.arm(context.deadlines)
    for (const effect of dropped) this.#effects.drop(effect)
    for (const effect of started) this.#effects.start(effect)
    this.#settling.wake()
    const elsewhereBytes = kind.elsewhereBytes?.(snapshot)
    views.publish({ n, view: kind.view(snapshot), entryBytes, ...defined({ elsewhereBytes }) })
  }

  #newEffects(speculation: Speculation | undefined): CellEffects {
    const { kind, ownership, clock, writer } = this.#options
    return new CellEffects({
      runner: {
        actorId: ownership.id,
        epoch: ownership.epoch,
        handlers: kind.effects,
        state: () => this.#state.context,
        clock,
        random: writer.random,
        mayAct: writer.mayWrite,
        speculation,
      },
      turns: this.#turns,
      apply: (event) => this.#apply(event),
      pending: () => this.#state.pending,
      signal: this.#stopping.signal,
      warn: (error, message) => this.#warn(error, message),
    })
  }

  /** Throws `draining` if the cell stops first. */
  #settled(command: ActorMessage, deadlineMs: number): Promise<void> {
    const isSettled = () => {
      if (this.#options.kind.settled(this.#state.snapshot, command)) return true
      if (this.#stopping.signal.aborted) throw new ActorMoved()
      return false
    }
    return this.#settling.until(isSettled, deadlineMs)
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
    this.#settling.wake()
  }

  #warn(error: unknown, message: string): void {
    const { log, kind, ownership } = this.#options
    log.warn({ err: error, kind: kind.protocol.kind, id: ownership.id }, message)
  }
}

function refuseLate(deadlineMs: number, nowMs: number): void {
  if (nowMs <= deadlineMs + limits.clockSkewMs) return
  throw new ServiceError('timeout', 'The request came to its turn after its deadline.')
}

/** The same error for an unknown actor and for another tenant's. */
export function noSuchActor(kind: string): ServiceError {
  return new ServiceError('not_found', `There is no such ${kind}.`)
}
