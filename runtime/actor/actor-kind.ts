/**
 * The definition of one kind of actor. Its XState machine decides (as a pure function), `view` and
 * `answers` say what others see, and its effects act. A kind never touches the store, a timer or a
 * socket itself.
 *
 * The machine's context must be plain data and contain `deadlines`: name → wall-clock ms at which
 * the event `{type: 'deadline.<name>'}` is due. Its actions of type `effect` are its effects.
 */
import type {
  AnyMachineSnapshot,
  AnyStateMachine,
  ContextFrom,
  EventFrom,
  SnapshotFrom,
} from 'xstate'
import type {
  ActorView,
  AnswerOf,
  AnyActorProtocol,
  ActorInput,
  MessageOf,
  MessageTo,
  VerbName,
  ViewOf,
} from '../../proto/actor.ts'
import type { ActorMessage } from '../../proto/envelope.ts'
import type { WireError } from '../../proto/errors.ts'

/**
 * `safe` may be repeated after a crash with the same id; after a crash during `once`, the machine
 * gets the event `effect.unknown`.
 */
export type EffectRetry = 'safe' | 'once'

export type BytesByStream = Readonly<Record<string, number>>

/** The effects of a kind: name → parameters. */
export type EffectTypes = Readonly<Record<string, unknown>>

export interface EffectRequest<Kind extends string = string, Params = unknown> {
  readonly kind: Kind
  readonly retry: EffectRetry
  readonly params: Params
}

/** Any effect that a machine with these effects may request. */
export type EffectRequestOf<E extends EffectTypes> = {
  [K in keyof E & string]: EffectRequest<K, E[K]>
}[keyof E & string]

export interface EffectContext<State extends ActorContext = ActorContext> {
  /** `<actor id>:<entry>:<index>`: the same on every attempt. */
  readonly effectId: string
  readonly attempt: number
  /** The owner's epoch: receivers refuse requests with an older one. */
  readonly epoch: number
  readonly actorId: string
  /** The machine's current context, so that params need not repeat it. */
  readonly state: State
  /** Aborts when the effect is no longer wanted, or when the cell stops (fenced or drained). */
  readonly signal: AbortSignal
}

/**
 * The type of the machine's actions that are effects; their `params` are an {@link EffectRequest}.
 */
export const effectAction = 'effect'

/**
 * Runs the effect and returns the event for the machine, or nothing. (Declared as a method, because
 * the runtime knows no kind and calls it with plain data.)
 */
export type EffectHandler<Params, State extends ActorContext, Outcome> = {
  handle(params: Params, context: EffectContext<State>): Promise<Outcome | void>
}['handle']

export type EffectHandlers<E extends EffectTypes, State extends ActorContext, Outcome> = {
  readonly [K in keyof E]: EffectHandler<E[K], State, Outcome>
}

/** Events that the runtime may send to every machine. */
export type RuntimeEvent =
  /** The first entry of an owner that took over the actor. */
  | { readonly type: 'recovered'; readonly epoch: number }
  | { readonly type: 'effect.unknown'; readonly effectId: string; readonly kind: string }
  | {
      readonly type: 'effect.failed'
      readonly effectId: string
      readonly kind: string
      readonly error: WireError
    }
  | { readonly type: 'host.dead'; readonly incarnation: string }
  /** A process that the actor depends on does not renew its lease, but may come back. */
  | { readonly type: 'host.silent'; readonly incarnation: string }
  /** A process that the actor knows to be silent has renewed its lease. */
  | { readonly type: 'host.back'; readonly incarnation: string }
  | { readonly type: `deadline.${string}` }

/**
 * Every event gets a timestamp in wall-clock ms before it reaches the machine, because machines
 * read no clock.
 */
export type Timestamped<E> = E & { readonly at: number }
type Unstamped<E> = E extends unknown ? Omit<E, 'at'> : never

/** The events by which an effect may report to the machine. */
export type OutcomeOf<M extends AnyStateMachine> = Unstamped<EventFrom<M>> & ActorMessage

export interface ActorContext {
  /** The runtime compares it with the tenant of each request. */
  readonly tenant: string
  readonly deadlines: Readonly<Record<string, number>>
}

export interface QueryContext {
  /** Epoch of this owner of the actor. */
  readonly epoch: number
}

/** The answer of each verb. Throws a ServiceError for a negative answer. */
type QueryHandlers<P extends AnyActorProtocol, S> = {
  readonly [N in VerbName<P>]: {
    answer(snapshot: S, message: MessageTo<P, N>, context: QueryContext): AnswerOf<P, N>
  }['answer']
}

export interface ActorKind<
  P extends AnyActorProtocol,
  M extends AnyStateMachine,
  E extends EffectTypes,
> {
  readonly protocol: P
  readonly machine: M
  /**
   * Throws a ServiceError to refuse a message before the machine or `answers` sees it. `at` is
   * wall-clock ms; for a command, the same value that the machine gets.
   */
  admit(snapshot: SnapshotFrom<M>, message: MessageOf<P>, at: number): void
  /**
   * The input as the machine gets it and the log stores it: with its secrets sealed. Throws a
   * ServiceError to refuse it. Without this method, it is the input itself.
   */
  stored?(input: ActorInput<P>): ActorInput<P>
  /** The public record in KV `views`; plain data. */
  view(snapshot: SnapshotFrom<M>): ViewOf<P>
  readonly queries: QueryHandlers<P, SnapshotFrom<M>>
  /** What the actor has stored in other streams than LOG: it counts as its tenant's. */
  elsewhereBytes?(snapshot: SnapshotFrom<M>): BytesByStream
  /** True if a caller that waits for the actor to settle may be answered. */
  settled(snapshot: SnapshotFrom<M>, message: ActorMessage): boolean
  /**
   * False for an effect that is no longer needed: it is aborted and its outcome is not reported.
   * Without this method, all effects are wanted.
   */
  wants?(snapshot: SnapshotFrom<M>, effect: EffectRequestOf<E>): boolean
  /** Incarnations whose death and silence the actor must know about, by `host.dead` and others. */
  dependencies(snapshot: SnapshotFrom<M>): readonly string[]
  /** Those of them that the actor knows to be silent. Without this method, silence is not told. */
  knownSilent?(snapshot: SnapshotFrom<M>): readonly string[]
  readonly effects: EffectHandlers<E, ContextFrom<M>, OutcomeOf<M>>
  /**
   * Effects of a new actor that begin before its first entry is durable. If it never lands, the
   * process that performs them must find out that there is no such actor, and undo them.
   */
  readonly speculative?: readonly (keyof E & string)[]
  /**
   * A simulated life of such an actor. A host runs it before it takes real actors, so that the
   * first of them does not wait for the JIT compiler.
   */
  readonly rehearsal: Rehearsal<ActorInput<P>, OutcomeOf<M>>
  /**
   * True if entries before the last may be removed when they are many bytes, and some time after
   * the actor has ended. Otherwise the audit is derived from all of them.
   */
  readonly trimsLog?: true
  /** Removes what an actor has stored besides its log and view, when retention removes it. */
  forget?(id: string): Promise<void>
}

export interface Rehearsal<Input, Event> {
  readonly input: Input
  readonly events: readonly Event[]
}

type AnyQueryHandler = {
  answer(snapshot: AnyMachineSnapshot, message: ActorMessage, context: QueryContext): unknown
}['answer']

/** A kind with its types erased, so that the runtime can hold different kinds together. */
export interface AnyActorKind {
  readonly protocol: AnyActorProtocol
  readonly machine: AnyStateMachine
  admit(snapshot: AnyMachineSnapshot, message: ActorMessage, at: number): void
  stored?(input: unknown): unknown
  view(snapshot: AnyMachineSnapshot): ActorView
  elsewhereBytes?(snapshot: AnyMachineSnapshot): BytesByStream
  readonly queries: Readonly<Record<string, AnyQueryHandler>>
  settled(snapshot: AnyMachineSnapshot, message: ActorMessage): boolean
  wants?(snapshot: AnyMachineSnapshot, effect: EffectRequest): boolean
  dependencies(snapshot: AnyMachineSnapshot): readonly string[]
  knownSilent?(snapshot: AnyMachineSnapshot): readonly string[]
  readonly effects: Readonly<Record<string, EffectHandler<unknown, ActorContext, ActorMessage>>>
  readonly speculative?: readonly string[]
  readonly rehearsal: Rehearsal<unknown, ActorMessage>
  readonly trimsLog?: true
  forget?(id: string): Promise<void>
}

/** Checks a kind against its protocol, its machine and its effects. */
export const actorKind =
  <E extends EffectTypes>() =>
  <P extends AnyActorProtocol, M extends AnyStateMachine>(kind: ActorKind<P, M, E>): AnyActorKind =>
    kind
