/** What a task asks for: its effects, and for how long each of them is wanted. */
import type { StateRecord, StepRecord, TaskState } from '../../proto/task.ts'
import type { EffectRequest } from '../../runtime/actor-kind.ts'
import { nextAct, publicState, type TaskContext } from './context.ts'
import { stateRecord, stepRecord } from './step.ts'

/** Wanted in one state alone: whatever leads out of it ends them. */
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
export type EffectKind = Passing | 'attend' | 'publish'

interface ActParams {
  readonly step: number
  readonly index: number
}

export interface PublishParams {
  readonly record: StepRecord | StateRecord
}

/** A record is told whatever happens to the task; an agent is kept as long as it may be asked. */
export function wants(state: string, context: TaskContext, { kind }: EffectRequest): boolean {
  if (kind === 'publish') return true
  if (kind === 'attend') return context.outcome === null
  return states[kind as Passing] === state
}

const effect = (kind: EffectKind, params: unknown = {}): EffectRequest => ({
  kind,
  retry: 'safe',
  params,
})

export const ask = (kind: Exclude<Passing, 'act'> | 'attend') => ({
  type: 'effect' as const,
  params: effect(kind),
})

interface Told {
  readonly context: TaskContext
  readonly event: { readonly at?: number }
}

/** The first entry has no event of its own. */
const atOf = ({ context, event }: Told): number => event.at ?? context.createdAtMs

export const askAct = {
  type: 'effect' as const,
  params: ({ context }: Told): EffectRequest => ({
    kind: 'act',
    retry: nextAct(context)!.repeat,
    params: {
      step: context.step!.n,
      index: context.step!.actions.length,
    } satisfies ActParams,
  }),
}

export const publishStep = {
  type: 'effect' as const,
  params: (told: Told): EffectRequest =>
    effect('publish', { record: stepRecord(told.context, atOf(told)) } satisfies PublishParams),
}

/** Tells the world of a state; it is numbered first. */
export const announce = (state: TaskState) =>
  [
    'number',
    {
      type: 'effect' as const,
      params: (told: Told): EffectRequest => {
        const record = stateRecord(told.context, publicState(state, told.context), atOf(told))
        return effect('publish', { record } satisfies PublishParams)
      },
    },
  ] as const
