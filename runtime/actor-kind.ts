/**
 * What an actor of the service is, told to the runtime. A kind decides (its XState machine, run
 * purely), says what others may see (`view`, `answers`) and does (its effects). It never touches
 * the store, a timer or a socket itself.
 *
 * The machine's context must be plain data and carry `deadlines`: name → wall-clock ms at which the
 * event `{type: 'deadline.<name>'}` is due. Its actions of type `effect` are its effects.
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
} from '../proto/actor.ts'
import type { ActorMessage } from '../proto/envelope.ts'
import type { WireError } from '../proto/errors.ts'

/**
 * `safe` may be repeated after a crash under the same id; `once` becomes
 * the event `effect.unknown` instead.
 */
export type EffectRetry = 'safe' | 'once'

/** The effects of a kind: name → parameters. */
export type EffectTypes = Readonly<Record<string, unknown>>

export interface EffectRequest<Kind extends string = string, Params = unknown> {
  readonly kind: Kind
  readonly retry: EffectRetry
  readonly params: Params
}

/** Any effect that a machine with these effects may ask for. */
export type EffectRequestOf<E extends EffectTypes> = {
  [K in keyof E & string]: EffectRequest<K, E[K]>
}[keyof E & string]

export interface EffectContext<State extends ActorContext = ActorContext> {
  /** `<actor id>:<entry>:<index>`: the same on every attempt. */
  readonly effectId: string
  readonly attempt: number
  /** The owner's epoch: whoever gets an order refuses an older one. */
  readonly epoch: number
  readonly actorId: string
  /** The machine's context as it stands: what it holds need not be in the params too. */
  readonly state: State
  /** Aborts when the effect is not wanted any more, and when the cell stops: fenced or drained. */
  readonly signal: AbortSignal
}

/** The type of the machine's actions that are effects; their `params` are an {@link EffectRequest}. */
export const effectAction = 'effect'

/**
 * Does the effect and returns the event that tells the machine, or nothing when there is nothing
 * to tell. (A method's type: the runtime, which knows no kind, calls it with plain data.)
 */
export type EffectHandler<Params, State extends ActorContext, Outcome> = {
  handle(params: Params, context: EffectContext<State>): Promise<Outcome | void>
}['handle']

export type EffectHandlers<E extends EffectTypes, State extends ActorContext, Outcome> = {
  readonly [K in keyof E]: EffectHandler<E[K], State, Outcome>
}

/** Events every machine may get from the runtime. */
export type RuntimeEvent =
  /** The first entry of an owner that took the actor over. */
  | { readonly type: 'recovered'; readonly epoch: number }
  | { readonly type: 'effect.unknown'; readonly effectId: string; readonly kind: string }
  | {
      readonly type: 'effect.failed'
      readonly effectId: string
      readonly kind: string
      readonly error: WireError
    }
  | { readonly type: 'host.dead'; readonly incarnation: string }
  | { readonly type: `deadline.${string}` }

/** Every event is stamped with wall-clock ms before it reaches the machine: machines read no clock. */
export type Stamped<E> = E & { readonly at: number }
type Unstamped<E> = E extends unknown ? Omit<E, 'at'> : never

/** What an effect may tell the machine. */
export type OutcomeOf<M extends AnyStateMachine> = Unstamped<EventFrom<M>> & ActorMessage

export interface ActorContext {
  /** Checked by the runtime against the tenant in whose name the actor is asked. */
  readonly tenant: string
  readonly deadlines: Readonly<Record<string, number>>
}

export interface AnswerContext {
  /** Of this owner of the actor. */
  readonly epoch: number
}

/** What the sender of one verb is told. Throws a ServiceError when that is bad news. */
type Answers<P extends AnyActorProtocol, S> = {
  readonly [N in VerbName<P>]: {
    answer(snapshot: S, message: MessageTo<P, N>, context: AnswerContext): AnswerOf<P, N>
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
   * wall-clock ms, of a command the same that the machine is given.
   */
  admit(snapshot: SnapshotFrom<M>, message: MessageOf<P>, at: number): void
  /** The public record of KV `views`, plain data. */
  view(snapshot: SnapshotFrom<M>): ViewOf<P>
  readonly answers: Answers<P, SnapshotFrom<M>>
  /** True when a caller that waits for the actor to come to rest may be answered. */
  settled(snapshot: SnapshotFrom<M>, message: ActorMessage): boolean
  /**
   * False for an effect that has lost its purpose: it is aborted, and how it ends is not told. All
   * are wanted where a kind does not say.
   */
  wants?(snapshot: SnapshotFrom<M>, effect: EffectRequestOf<E>): boolean
  /** Processes whose death matters to the actor: it then gets `host.dead`. */
  dependencies(snapshot: SnapshotFrom<M>): readonly string[]
  readonly effects: EffectHandlers<E, ContextFrom<M>, OutcomeOf<M>>
  /**
   * One life of such an actor, which a host runs through before it takes real ones, so that the
   * first of them does not pay for the compiler.
   */
  readonly rehearsal: Rehearsal<ActorInput<P>, OutcomeOf<M>>
  /** Removes what an actor that retention takes away has left beside its log and its view. */
  forget?(id: string): Promise<void>
}

export interface Rehearsal<Input, Event> {
  readonly input: Input
  readonly events: readonly Event[]
}

type AnyAnswer = {
  answer(snapshot: AnyMachineSnapshot, message: ActorMessage, context: AnswerContext): unknown
}['answer']

/** A kind as the runtime holds it, beside kinds of other types. */
export interface AnyActorKind {
  readonly protocol: AnyActorProtocol
  readonly machine: AnyStateMachine
  admit(snapshot: AnyMachineSnapshot, message: ActorMessage, at: number): void
  view(snapshot: AnyMachineSnapshot): ActorView
  readonly answers: Readonly<Record<string, AnyAnswer>>
  settled(snapshot: AnyMachineSnapshot, message: ActorMessage): boolean
  wants?(snapshot: AnyMachineSnapshot, effect: EffectRequest): boolean
  dependencies(snapshot: AnyMachineSnapshot): readonly string[]
  readonly effects: Readonly<Record<string, EffectHandler<unknown, ActorContext, ActorMessage>>>
  readonly rehearsal: Rehearsal<unknown, ActorMessage>
  forget?(id: string): Promise<void>
}

/** Checks a kind against its protocol, its machine and its effects. */
export const actorKind =
  <E extends EffectTypes>() =>
  <P extends AnyActorProtocol, M extends AnyStateMachine>(kind: ActorKind<P, M, E>): AnyActorKind =>
    kind
