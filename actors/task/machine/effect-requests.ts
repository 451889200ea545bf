/** The effects that a task requests, and how long each of them is wanted. */
import type { StateRecord, StepRecord, TaskState } from '../../../proto/task/task.ts'
import type { EffectRequestOf } from '../../../runtime/actor/actor-kind.ts'
import { nextAct, publicState, type TaskContext } from '../state/context.ts'
import { stateRecord, stepRecord } from './current-step.ts'

/** Wanted in one state only: leaving the state aborts them. */
const states = {
  enter: 'queued',
  prepare: 'preparing',
  observe: 'observing',
  decide: 'deciding',
  act: 'acting',
  check: 'checking',
  leave: 'leaving',
} as const satisfies Readonly<Record<string, string>>

type Passing = keyof typeof states
type NoParams = Readonly<Record<never, never>>

interface ActParams {
  readonly step: number
  readonly index: number
}

/** The effects of a task: name → parameters. Most read the task's state instead. */
export type TaskEffects = { readonly [K in Exclude<Passing, 'act'> | 'attend']: NoParams } & {
  readonly act: ActParams
  readonly publish: { readonly record: StepRecord | StateRecord }
}
export type TaskEffect = EffectRequestOf<TaskEffects>

/** A record is published in any state; an agent is kept as long as it may be asked. */
export function isEffectWanted(state: string, context: TaskContext, { kind }: TaskEffect): boolean {
  if (kind === 'publish') return true
  if (kind === 'attend') return context.outcome === null
  return states[kind] === state
}

export const requestEffect = (kind: Exclude<Passing, 'act'> | 'attend') => ({
  type: 'effect' as const,
  params: { kind, retry: 'safe', params: {} } satisfies TaskEffect,
})

const publishRequest = (record: StepRecord | StateRecord): TaskEffect => ({
  kind: 'publish',
  retry: 'safe',
  params: { record },
})

interface TransitionFacts {
  readonly context: TaskContext
  readonly event: { readonly at?: number }
}

/** The first entry has no event of its own. */
const atOf = ({ context, event }: TransitionFacts): number => event.at ?? context.createdAtMs

export const requestAct = {
  type: 'effect' as const,
  params: ({ context }: TransitionFacts): TaskEffect => ({
    kind: 'act',
    retry: nextAct(context)!.repeat,
    params: {
      step: context.step!.n,
      index: context.step!.actions.length,
    },
  }),
}

export const publishStep = {
  type: 'effect' as const,
  params: (facts: TransitionFacts): TaskEffect =>
    publishRequest(stepRecord(facts.context, atOf(facts))),
}

/** Publishes a state; it gets its number first. */
export const publishState = (state: TaskState) =>
  [
    'number',
    {
      type: 'effect' as const,
      params: (facts: TransitionFacts): TaskEffect =>
        publishRequest(stateRecord(facts.context, publicState(state, facts.context), atOf(facts))),
    },
  ] as const
