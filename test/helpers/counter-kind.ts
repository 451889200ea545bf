/**
 * The toy actor of the simulation and the cluster tests: a counter that records the id of every
 * command it took and the outcome of every effect it asked for, so that its log alone tells whether
 * the runtime kept its promises.
 */
import { assign, setup, type SnapshotFrom } from 'xstate'
import { ServiceError } from '../../proto/errors.ts'
import type {
  ActorKind,
  EffectContext,
  EffectRequest,
  RuntimeEvent,
  Stamped,
} from '../../runtime/actor-kind.ts'

type Deadlines = Readonly<Record<string, number>>

export interface CounterInput {
  readonly id: string
  readonly tenant: string
}

export const outcomes = ['done', 'unknown', 'failed'] as const
export type Outcome = (typeof outcomes)[number]

export interface CounterContext extends CounterInput {
  /** Ids of the commands taken, in order. */
  readonly taken: readonly string[]
  /** Effects asked for. */
  readonly asked: number
  /** Effect id → how it ended; a second ending of the same effect is kept too, to be found. */
  readonly ended: Readonly<Record<string, readonly Outcome[]>>
  readonly alarms: number
  readonly deadlines: Deadlines
  readonly endedAtMs: number | null
}

/** What `id` names is the command, not the actor. */
export type CounterCommand =
  | { readonly type: 'add'; readonly id: string }
  | { readonly type: 'note'; readonly id: string }
  | { readonly type: 'strike'; readonly id: string }
  | { readonly type: 'arm'; readonly id: string; readonly afterMs: number }
  | { readonly type: 'finish'; readonly id: string }

type CounterEvent = Stamped<
  | CounterCommand
  | { readonly type: 'effect.done'; readonly effectId: string }
  | { readonly type: 'recovered'; readonly epoch: number }
  | RuntimeEvent
>

export interface CounterReply {
  readonly count: number
  /** Where in the list of commands this one stands; -1 for a query. */
  readonly index: number
  readonly alarms: number
  readonly epoch: number
}

export interface EffectParams {
  readonly id: string
}

/** What an effect does to the world outside. */
export type Perform = (kind: 'note' | 'strike', id: string, context: EffectContext) => Promise<void>

const taken = ({ context, event }: { context: CounterContext; event: CounterEvent }) =>
  'id' in event ? [...context.taken, event.id] : context.taken

const wanted =
  (kind: 'note' | 'strike', retry: EffectRequest['retry']) =>
  ({ event }: { event: CounterEvent }): EffectRequest => ({
    kind,
    retry,
    params: { id: 'id' in event ? event.id : '' } satisfies EffectParams,
  })

const counterSetup = setup({
  types: {
    context: {} as CounterContext,
    input: {} as CounterInput,
    events: {} as CounterEvent,
  },
  actions: {
    /** Run by the runtime once the entry that asks for it is durable. */
    effect: (_, _request: EffectRequest) => undefined,
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

export const counterMachine = counterSetup.createMachine({
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

export function counterKind(perform: Perform): ActorKind {
  const handler = (kind: 'note' | 'strike') => (params: EffectParams, context: EffectContext) =>
    perform(kind, params.id, context)
  return {
    kind: 'counter',
    machine: counterMachine,
    queries: new Set(['get']),
    commands: new Set(['add', 'note', 'strike', 'arm', 'finish']),
    admit: (snapshot, command) => {
      const { taken, endedAtMs } = (snapshot as CounterSnapshot).context
      if (endedAtMs === null || command.type === 'get') return
      if (taken.includes(String(command['id']))) return
      throw new ServiceError('session_ended', 'This counter is finished.')
    },
    view: (snapshot) => {
      const { id, tenant, taken, endedAtMs } = (snapshot as CounterSnapshot).context
      return { id, tenant, count: taken.length, ...(endedAtMs !== null && { endedAtMs }) }
    },
    reply: (snapshot, command, { epoch }): CounterReply => {
      const { context } = snapshot as CounterSnapshot
      const index = context.taken.indexOf(String(command['id']))
      return { count: context.taken.length, index, alarms: context.alarms, epoch }
    },
    settled: (snapshot) => {
      const { asked, ended } = (snapshot as CounterSnapshot).context
      return Object.keys(ended).length >= asked
    },
    dependencies: () => [],
    effects: { note: handler('note'), strike: handler('strike') },
  }
}
