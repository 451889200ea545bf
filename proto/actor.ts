/**
 * The protocol of one kind of actor. One definition per kind lists its verbs, each with its fields
 * and its answer: the machine takes its event types from it, callers get the types of `ask`, and
 * the runtime the list of messages that it accepts.
 *
 *   export const counterActor = actorProtocol<CounterInput, CounterView>()('counter', {
 *     created: queryVerb<CounterReply>(),
 *     add: commandVerb<CounterReply, { readonly by: number }>(),
 *   })
 */

declare const types: unique symbol

/** A query reads committed state; a command is an event for the machine and an entry of the log. */
export type VerbMode = 'query' | 'command'

/** `Fields` and `Answer` exist for the compiler only. */
export interface Verb<Mode extends VerbMode, Fields extends object, Answer> {
  readonly mode: Mode
  /** It ends something, so it finds room even in a store that is full. */
  readonly isEnd?: true
  readonly [types]?: { readonly fields: Fields; readonly answer: Answer }
}

type NoFields = Record<never, never>
export type AnyVerbs = Readonly<Record<string, Verb<VerbMode, object, unknown>>>

/** The public record of an actor in KV `views`; plain data. */
export interface ActorView {
  readonly id: string
  readonly tenant: string
  /** Wall-clock ms; the retention period starts here. */
  readonly endedAtMs?: number
}

export interface ActorProtocol<
  Kind extends string,
  Input,
  View extends ActorView,
  Verbs extends AnyVerbs,
> {
  readonly kind: Kind
  readonly verbs: Verbs
  readonly [types]?: { readonly input: Input; readonly view: View }
}
export type AnyActorProtocol = ActorProtocol<string, unknown, ActorView, AnyVerbs>

export const queryVerb = <Answer, Fields extends object = NoFields>(): Verb<
  'query',
  Fields,
  Answer
> => ({ mode: 'query' })

export const commandVerb = <Answer, Fields extends object = NoFields>(): Verb<
  'command',
  Fields,
  Answer
> => ({ mode: 'command' })

/** A command that ends or takes something away: see {@link Verb.isEnd}. */
export const endVerb = <Answer, Fields extends object = NoFields>(): Verb<
  'command',
  Fields,
  Answer
> => ({ mode: 'command', isEnd: true })

/** Every kind answers `created`: the process that creates an actor asks it first. */
export const createdQuery = 'created'

/** `Input` is what an actor of the kind is created from. */
export const actorProtocol =
  <Input, View extends ActorView>() =>
  <
    const Kind extends string,
    Verbs extends AnyVerbs & { readonly created: Verb<'query', NoFields, unknown> },
  >(
    kind: Kind,
    verbs: Verbs,
  ): ActorProtocol<Kind, Input, View, Verbs> => ({ kind, verbs })

export type ActorInput<P> =
  P extends ActorProtocol<string, infer Input, ActorView, AnyVerbs> ? Input : never
export type ViewOf<P> =
  P extends ActorProtocol<string, unknown, infer View, AnyVerbs> ? View : never

export type VerbName<P extends AnyActorProtocol> = keyof P['verbs'] & string
type FieldsOf<V> = V extends Verb<VerbMode, infer Fields, unknown> ? Fields : never
export type AnswerOf<P extends AnyActorProtocol, N extends VerbName<P>> =
  P['verbs'][N] extends Verb<VerbMode, object, infer Answer> ? Answer : never

/** A verb as a message: `{type, …fields}`; for several verbs, the union. */
export type MessageTo<P extends AnyActorProtocol, N extends VerbName<P>> =
  N extends VerbName<P> ? { readonly type: N } & FieldsOf<P['verbs'][N]> : never

/** Any message that another process may send to an actor of the kind. */
export type MessageOf<P extends AnyActorProtocol> = MessageTo<P, VerbName<P>>

/** Messages that are events of the machine, that is, commands. */
export type ActorCommand<P extends AnyActorProtocol> = {
  [N in VerbName<P>]: P['verbs'][N] extends Verb<'command', object, unknown>
    ? MessageTo<P, N>
    : never
}[VerbName<P>]
