/**
 * What an actor of the service is, told to the runtime. A kind decides (its XState machine, run
 * purely), says what others may see (`view`, `reply`) and does (its effects). It never touches the
 * store, a timer or a socket itself.
 *
 * The machine's context must be plain data and carry `deadlines`: name → wall-clock ms at which the
 * event `{type: 'deadline.<name>'}` is due. Its actions of type `effect` are its effects.
 */
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate'
import type { Command } from '../proto/envelope.ts'
import type { WireError } from '../proto/errors.ts'

/**
 * `safe` may be repeated after a crash under the same id; `once` becomes
 * the event `effect.unknown` instead.
 */
export type EffectRetry = 'safe' | 'once'

export interface EffectRequest {
  readonly kind: string
  readonly retry: EffectRetry
  readonly params: unknown
}

export interface EffectContext {
  /** `<actor id>:<entry>:<index>`: the same on every attempt. */
  readonly effectId: string
  readonly attempt: number
  /** The owner's epoch, for whoever must refuse an older one. */
  readonly epoch: number
  readonly actorId: string
  /** The machine's context as it stands: what it holds need not be in the params too. */
  readonly state: ActorContext
  /** Aborts when the effect is not wanted any more, and when the cell stops: fenced or drained. */
  readonly signal: AbortSignal
}

/** The type of the machine's actions that are effects; their `params` are an {@link EffectRequest}. */
export const effectAction = 'effect'

/** The query that whoever created an actor asks first: every kind answers it. */
export const createdQuery = 'created'

/**
 * Does the effect and returns the event that tells the machine, or
 * nothing when there is nothing to tell.
 */
export type EffectHandler = (params: never, context: EffectContext) => Promise<Command | void>

/** Events every machine may get from the runtime. `at` is wall-clock ms. */
export type RuntimeEvent =
  | { readonly type: 'effect.unknown'; readonly effectId: string; readonly kind: string }
  | {
      readonly type: 'effect.failed'
      readonly effectId: string
      readonly kind: string
      readonly error: WireError
    }
  | { readonly type: 'host.dead'; readonly incarnation: string }
  | { readonly type: `deadline.${string}` }

/** Every event is stamped before it reaches the machine: machines read no clock. */
export type Stamped<E> = E & { readonly at: number }

export interface ActorContext {
  readonly deadlines: Readonly<Record<string, number>>
}

export interface ActorView {
  readonly id: string
  readonly tenant: string
  readonly endedAtMs?: number
}

export interface ActorKind {
  readonly kind: string
  readonly machine: AnyStateMachine
  /** Commands that only read: answered from committed state, never an entry in the log. */
  readonly queries: ReadonlySet<string>
  /** Commands that anyone in the service may send as events; others are refused. */
  readonly commands: ReadonlySet<string>
  /**
   * Throws a ServiceError to refuse a command, or a query, before the machine or `reply` sees it.
   */
  admit(snapshot: AnyMachineSnapshot, command: Command): void
  /**
   * The public record of KV `views`, plain data. Ended actors say
   * when, for retention to count from.
   */
  view(snapshot: AnyMachineSnapshot): ActorView
  /** What the sender of `command` is told. Throws a ServiceError when that is bad news. */
  reply(snapshot: AnyMachineSnapshot, command: Command, context: { epoch: number }): unknown
  /** True when a caller that waits for the actor to come to rest may be answered. */
  settled(snapshot: AnyMachineSnapshot, command: Command): boolean
  /**
   * False for an effect that has lost its purpose: it is aborted, and how it ends is not told. All
   * are wanted where a kind does not say.
   */
  wants?(snapshot: AnyMachineSnapshot, effect: EffectRequest): boolean
  /** Processes whose death matters to the actor: it then gets `host.dead`. */
  dependencies(snapshot: AnyMachineSnapshot): readonly string[]
  readonly effects: Readonly<Record<string, EffectHandler>>
}
