/**
 * A checker of one record. It waits on a persisted deadline, so it continues on any host; several
 * missed checks are replaced by one. Pure: times come from the event's `at`.
 */
import { assign, setup } from 'xstate'
import type { ActorCommand } from '../../../proto/actor.ts'
import type { checkActor, CheckInput } from '../../../proto/access/jobs/check.ts'
import type { AccessState } from '../../../proto/access/common.ts'
import type { ClientId } from '../../../proto/access/ids.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type {
  ActorContext,
  EffectRequestOf,
  RuntimeEvent,
  Timestamped,
} from '../../../runtime/actor/actor-kind.ts'
import { changedBy, newState } from '../common/state.ts'

export interface CheckContext
  extends AccessState, ActorContext, Pick<CheckInput, 'area' | 'recordId'> {
  readonly tenant: ClientId
  readonly intervalSeconds: number
  readonly nextCheckAtMs: number | null
  /** The latest latencies in ms, the newest last. */
  readonly latencies: readonly number[]
  /** Checks since the last one that was written into the record. */
  readonly unwritten: number
  readonly endedAtMs: number | null
}

export type CheckEvent = Timestamped<
  | ActorCommand<typeof checkActor>
  | { readonly type: 'checked'; readonly isWritten: boolean; readonly latencyMs?: number }
  | { readonly type: 'gone' }
  | RuntimeEvent
>

/** The effects of a checker: name → parameters. They read the checker's state. */
export type CheckEffects = { readonly check: Readonly<Record<never, never>> }
type CheckEffect = EffectRequestOf<CheckEffects>

/** Adds a latency; a check without a response adds none. */
export const withLatency = (
  latencies: readonly number[],
  latencyMs: number | undefined,
): readonly number[] =>
  latencyMs === undefined ? latencies : [...latencies, latencyMs].slice(-limits.checkLatenciesKept)

const checkSetup = setup({
  types: { context: {} as CheckContext, input: {} as CheckInput, events: {} as CheckEvent },
  actions: {
    /** Placeholder: the runtime runs effects after their entry is durable. */
    effect: (_, _request: CheckEffect) => undefined,
    switchOn: assign(({ context, event }) => {
      if (event.type !== 'switch_on') return {}
      const { at, intervalSeconds } = event
      const nextCheckAtMs = at + intervalSeconds * 1000
      return { intervalSeconds, nextCheckAtMs, ...changedBy(context, event) }
    }),
    switchOff: assign(({ context, event }) => ({
      nextCheckAtMs: null,
      deadlines: {},
      ...changedBy(context, event.type === 'switch_off' ? event : { at: event.at }),
    })),
    begin: assign(({ context, event }) => ({
      nextCheckAtMs: event.at + context.intervalSeconds * 1000,
      deadlines: {},
    })),
    wait: assign(({ context: { nextCheckAtMs }, event }) => ({
      deadlines: { due: Math.max(nextCheckAtMs ?? event.at, event.at) },
    })),
    learn: assign(({ context, event }) =>
      event.type === 'checked'
        ? {
            latencies: withLatency(context.latencies, event.latencyMs),
            unwritten: event.isWritten ? 0 : context.unwritten + 1,
          }
        : {},
    ),
    conclude: assign(({ context, event }) => ({
      nextCheckAtMs: null,
      deadlines: {},
      endedAtMs: event.at,
      ...changedBy(context, { at: event.at }),
    })),
  },
  guards: {
    isOther: ({ context, event }) =>
      event.type === 'switch_on' && event.intervalSeconds !== context.intervalSeconds,
  },
})

export const checkMachine = checkSetup.createMachine({
  id: 'check',
  context: ({ input: { area, recordId, ...input } }) => ({
    ...newState(input),
    area,
    recordId,
    intervalSeconds: limits.checkIntervalSeconds,
    nextCheckAtMs: null,
    latencies: [],
    unwritten: 0,
    endedAtMs: null,
    deadlines: {},
  }),
  initial: 'off',
  states: {
    off: {
      on: { switch_on: { target: 'checking', actions: 'switchOn' } },
    },
    idle: {
      entry: 'wait',
      on: {
        switch_on: { target: 'idle', reenter: true, guard: 'isOther', actions: 'switchOn' },
        switch_off: { target: 'off', actions: 'switchOff' },
        'deadline.due': 'checking',
      },
    },
    checking: {
      entry: [
        'begin',
        { type: 'effect', params: { kind: 'check', retry: 'safe', params: {} } } as const,
      ],
      on: {
        switch_on: { guard: 'isOther', actions: 'switchOn' },
        switch_off: { target: 'off', actions: 'switchOff' },
        checked: { target: 'idle', actions: 'learn' },
        gone: { target: 'gone', actions: 'conclude' },
        // A failed write is made up for by the next check.
        'effect.failed': 'idle',
      },
    },
    gone: {},
  },
})
