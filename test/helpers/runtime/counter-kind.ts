/**
 * The test actor of the simulation and the cluster tests: a counter that records the id of every
 * command it took and the outcome of every effect it asked for, so that its log alone shows whether
 * the runtime kept its promises.
 */
import { assign, setup, type SnapshotFrom } from 'xstate'
import {
  actorProtocol,
  commandVerb,
  queryVerb,
  type ActorView,
  type ActorCommand,
  type MessageOf,
} from '../../../proto/actor.ts'
import { ServiceError } from '../../../proto/errors.ts'
import {
  actorKind,
  type ActorContext,
  type AnyActorKind,
  type EffectContext,
  type EffectRequestOf,
  type RuntimeEvent,
  type Timestamped,
} from '../../../runtime/actor/actor-kind.ts'

type Deadlines = Readonly<Record<string, number>>

export interface CounterInput {
  readonly id: string
  readonly tenant: string
}

const outcomes = ['done', 'unknown', 'failed'] as const
export type Outcome = (typeof outcomes)[number]

export interface CounterContext extends CounterInput, ActorContext {
  /** Ids of the commands taken, in order. */
  readonly taken: readonly string[]
  /** The number of effects asked for. */
  readonly asked: number
  /**
   * Effect id → how it ended; a second ending of the same effect is kept too, so that it is found.
   */
  readonly ended: Readonly<Record<string, readonly Outcome[]>>
  readonly alarms: number
  readonly endedAtMs: number | null
}

export interface CounterReply {
  readonly count: number
  /** The position of the command in the list of commands; -1 for a query. */
  readonly index: number
  readonly alarms: number
  readonly epoch: number
}

interface CounterView extends ActorView {
  readonly count: number
}

/** `id` is the command's, not the actor's. */
interface Named {
  readonly id: string
}

export const counterActor = actorProtocol<CounterInput, CounterView>()('counter', {
  created: queryVerb<CounterReply>(),
  get: queryVerb<CounterReply>(),
  add: commandVerb<CounterReply, Named>(),
  note: commandVerb<CounterReply, Named>(),
  strike: commandVerb<CounterReply, Named>(),
  arm: commandVerb<CounterReply, Named & { readonly afterMs: number }>(),
  finish: commandVerb<CounterReply, Named>(),
})
export type CounterCommand = ActorCommand<typeof counterActor>

type CounterEvent = Timestamped<
  CounterCommand | { readonly type: 'effect.done'; readonly effectId: string } | RuntimeEvent
>

type CounterEffects = { readonly note: Named; readonly strike: Named }
type CounterEffect = EffectRequestOf<CounterEffects>

/** Performs an effect outside of the actor. */
export type Perform = (kind: 'note' | 'strike', id: string, context: EffectContext) => Promise<void>

const taken = ({ context, event }: { context: CounterContext; event: CounterEvent }) =>
  'id' in event ? [...context.taken, event.id] : context.taken

const wanted =
  (kind: 'note' | 'strike', retry: CounterEffect['retry']) =>
  ({ event }: { event: CounterEvent }): CounterEffect => ({
    kind,
    retry,
    params: { id: 'id' in event ? event.id : '' },
  })

const counterSetup = setup({
  types: {
    context: {} as CounterContext,
    input: {} as CounterInput,
    events: {} as CounterEvent,
  },
  actions: {
    /** Run by the runtime once the entry that asks for the effect is durable. */
    effect: (_, _request: CounterEffect) => undefined,
    take: assign({ taken }),
    ask: assign({ taken, asked: ({ context }) => context.asked + 1 }),
    arm: assign({
      taken,
      deadlines: ({ event }): Deadlines =>
        event.type === 'arm' ? { alarm: event.at + event.afterMs } : {},
    }),
    ring: assign({ alarms: ({ context }) => context.alarms + 1, deadlines: {} }),
    finish: assign({ taken, deadlines: {}, endedAtMs: ({ event }) => event.at }),
    end: assign({
      ended: ({ context, event }, outcome: Outcome) => {
        if (!('effectId' in event)) return context.ended
        const before = context.ended[event.effectId] ?? []
        return { ...context.ended, [event.effectId]: [...before, outcome] }
      },
    }),
  },
})

const counterMachine = counterSetup.createMachine({
  id: 'counter',
  context: ({ input }) => ({
    ...input,
    taken: [],
    asked: 0,
    ended: {},
    alarms: 0,
    deadlines: {},
    endedAtMs: null,
  }),
  initial: 'counting',
  on: {
    'effect.done': { actions: { type: 'end', params: 'done' } },
    'effect.unknown': { actions: { type: 'end', params: 'unknown' } },
    'effect.failed': { actions: { type: 'end', params: 'failed' } },
  },
  states: {
    counting: {
      on: {
        add: { actions: 'take' },
        note: { actions: ['ask', { type: 'effect', params: wanted('note', 'safe') }] },
        strike: { actions: ['ask', { type: 'effect', params: wanted('strike', 'once') }] },
        arm: { actions: 'arm' },
        'deadline.alarm': { actions: 'ring' },
        finish: { target: 'finished', actions: 'finish' },
      },
    },
    finished: {},
  },
})

type CounterSnapshot = SnapshotFrom<typeof counterMachine>

const answer = (
  { context }: CounterSnapshot,
  message: MessageOf<typeof counterActor>,
  { epoch }: { readonly epoch: number },
): CounterReply => {
  const { taken, alarms } = context
  const index = 'id' in message ? taken.indexOf(message.id) : -1
  return { count: taken.length, index, alarms, epoch }
}

export function counterKind(perform: Perform): AnyActorKind {
  return actorKind<CounterEffects>()({
    protocol: counterActor,
    machine: counterMachine,
    admit: ({ context: { endedAtMs } }, message) => {
      if (endedAtMs === null || message.type === 'get') return
      throw new ServiceError('session_ended', 'This counter is finished.')
    },
    view: ({ context: { id, tenant, taken, endedAtMs } }) => {
      return { id, tenant, count: taken.length, ...(endedAtMs !== null && { endedAtMs }) }
    },
    queries: {
      created: answer,
      get: answer,
      add: answer,
      note: answer,
      strike: answer,
      arm: answer,
      finish: answer,
    },
    settled: ({ context: { asked, ended } }) => Object.keys(ended).length >= asked,
    dependencies: () => [],
    effects: {
      note: ({ id }, context) => perform('note', id, context),
      strike: ({ id }, context) => perform('strike', id, context),
    },
    rehearsal: { input: { id: 'cnt_rehearsal', tenant: 'rehearsal' }, events: [] },
  })
}
