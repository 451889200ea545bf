/**
 * A job, from the first version of its record to the last. Pure: times come from the event's `at`,
 * and side effects are requested as `effect`. It works in steps that may be repeated, so after the
 * death of its host it continues with the interrupted step.
 */
import { assign, setup } from 'xstate'
import type { ActorCommand } from '../../../proto/actor.ts'
import type { jobActor, JobInput } from '../../../proto/access/jobs/job.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type {
  EffectRequestOf,
  RuntimeEvent,
  Timestamped,
} from '../../../runtime/actor/actor-kind.ts'
import { startWork, jobRunnerOf } from './kinds/registry.ts'
import type { JobEnd, JobStep } from './work.ts'
import type { JobContext } from './context.ts'

export type JobEvent = Timestamped<
  | ActorCommand<typeof jobActor>
  | { readonly type: 'recorded' }
  | { readonly type: 'stepped'; readonly step: JobStep }
  | { readonly type: 'finished' }
  | RuntimeEvent
>

type NoParams = Readonly<Record<never, never>>

/** The effects of a job: name → parameters. They read the job's state. */
export type JobEffects = {
  readonly record: NoParams
  readonly work: NoParams
  readonly finish: NoParams
}
type JobEffect = EffectRequestOf<JobEffects>

const ask = (kind: keyof JobEffects) =>
  ({ type: 'effect', params: { kind, retry: 'safe', params: {} } }) as const

const jobSetup = setup({
  types: {
    context: {} as JobContext,
    input: {} as JobInput,
    events: {} as JobEvent,
  },
  actions: {
    /** Placeholder: the runtime runs effects after their entry is durable. */
    effect: (_, _request: JobEffect) => undefined,
    advance: assign(({ context, event }) =>
      event.type === 'stepped' ? { work: jobRunnerOf(context.work).fold(event.step) } : {},
    ),
    conclude: assign(({ context, event }, ended: JobEnd) => ({
      ended: context.ended ?? ended,
      endedAtMs: event.at,
      deadlines: {},
    })),
  },
  guards: {
    isCancelled: ({ context }) => context.ended !== null,
    completes: ({ context, event }) =>
      event.type === 'stepped' && jobRunnerOf(jobRunnerOf(context.work).fold(event.step)).isDone(),
    isOf: ({ event }, kind: keyof JobEffects) =>
      event.type === 'effect.failed' && event.kind === kind,
  },
})

const cancel = { type: 'conclude', params: { end: 'cancelled' } } as const
const failureEnd = ({ event }: { event: JobEvent }): JobEnd => ({
  end: 'failed',
  message: event.type === 'effect.failed' ? event.error.message : 'The job could not continue.',
})
const late: JobEnd = {
  end: 'failed',
  message: `The job was stopped after ${limits.jobMs / 60_000} minutes.`,
}

export const jobMachine = jobSetup.createMachine({
  id: 'job',
  context: ({ input }) => ({
    ...input,
    work: startWork(input.order),
    ended: null,
    endedAtMs: null,
    deadlines: { late: input.createdAtMs + limits.jobMs },
  }),
  initial: 'recording',
  states: {
    recording: {
      entry: ask('record'),
      on: {
        recorded: [{ target: 'ending', guard: 'isCancelled' }, { target: 'working' }],
        cancel: { actions: cancel },
        // Without a record, the work would have no reader.
        'effect.failed': {
          target: 'ended',
          guard: { type: 'isOf', params: 'record' },
          actions: { type: 'conclude', params: failureEnd },
        },
      },
    },
    working: {
      entry: ask('work'),
      on: {
        stepped: [
          {
            target: 'ending',
            guard: 'completes',
            actions: ['advance', { type: 'conclude', params: { end: 'done' } }],
          },
          { target: 'working', reenter: true, actions: 'advance' },
        ],
        cancel: { target: 'ending', actions: cancel },
        'deadline.late': { target: 'ending', actions: { type: 'conclude', params: late } },
        'effect.failed': {
          target: 'ending',
          guard: { type: 'isOf', params: 'work' },
          actions: { type: 'conclude', params: failureEnd },
        },
      },
    },
    ending: {
      entry: ask('finish'),
      on: {
        finished: 'ended',
        'effect.failed': { target: 'ended', guard: { type: 'isOf', params: 'finish' } },
      },
    },
    ended: {},
  },
})
