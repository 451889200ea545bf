/**
 * A report: a draft that people edit, published by another person, and immutable from then on. The
 * record that readers see is updated after each change. Pure: times come from the event's `at`.
 */
import { isDeepStrictEqual } from 'node:util'
import { assign, setup } from 'xstate'
import type { AccessState } from '../../../proto/access/common.ts'
import type { ClientId, ReportId } from '../../../proto/access/ids.ts'
import type { ReportContent } from '../../../proto/access/reports/report-content.ts'
import type { reportActor, ReportInput, ReportView } from '../../../proto/access/reports/report.ts'
import type { ActorCommand } from '../../../proto/actor.ts'
import type {
  ActorContext,
  EffectRequestOf,
  RuntimeEvent,
  Timestamped,
} from '../../../runtime/actor/actor-kind.ts'
import { changedBy, newState, secondSignature } from '../common/state.ts'
import { applyReportPatch } from './edit.ts'

export interface ReportContext extends AccessState, ActorContext {
  readonly id: ReportId
  readonly tenant: ClientId
  readonly content: ReportContent
  readonly supersedes: ReportId | null
  readonly supersededBy: ReportId | null
  readonly authorIds: readonly string[]
  readonly published: NonNullable<ReportView['published']> | null
  readonly withdrawn: NonNullable<ReportView['withdrawn']> | null
  /** The version of the record; lower than the report's while it is being written. */
  readonly recorded: number
  /** True until the predecessor knows that it is superseded. */
  readonly isPredecessorUntold: boolean
}

export type ReportEvent = Timestamped<
  | ActorCommand<typeof reportActor>
  | { readonly type: 'recorded'; readonly version: number }
  | { readonly type: 'predecessor_told' }
  | RuntimeEvent
>

type NoParams = Readonly<Record<never, never>>

/** The effects of a report: name → parameters. They read the report's state. */
export type ReportEffects = { readonly record: NoParams; readonly tell_predecessor: NoParams }
type ReportEffect = EffectRequestOf<ReportEffects>

const reportSetup = setup({
  types: { context: {} as ReportContext, input: {} as ReportInput, events: {} as ReportEvent },
  actions: {
    /** Placeholder: the runtime runs effects after their entry is durable. */
    effect: (_, _request: ReportEffect) => undefined,
    update: assign(({ context, event }) => {
      if (event.type !== 'update') return {}
      const authorIds = [...new Set([...context.authorIds, event.by.id])]
      const content = applyReportPatch(context.content, event.patch)
      return { content, authorIds, ...changedBy(context, event) }
    }),
    publish: assign(({ context, event }) => {
      if (event.type !== 'publish') return {}
      const { by, at } = event
      return {
        published: secondSignature(by, at, context.authorIds),
        isPredecessorUntold: context.supersedes !== null,
        ...changedBy(context, event),
      }
    }),
    supersede: assign(({ context, event }) =>
      event.type === 'supersede'
        ? { supersededBy: event.reportId, ...changedBy(context, event) }
        : {},
    ),
    withdraw: assign(({ context, event }) => {
      if (event.type !== 'withdraw') return {}
      const { by, at: atMs, reason } = event
      return { withdrawn: { by, atMs, reason }, ...changedBy(context, event) }
    }),
    recorded: assign(({ context, event }) =>
      event.type === 'recorded' ? { recorded: Math.max(context.recorded, event.version) } : {},
    ),
    unrecorded: assign(({ context }) => ({ recorded: context.version })),
    predecessorTold: assign({ isPredecessorUntold: false }),
  },
  guards: {
    changes: ({ context: { content }, event }) =>
      event.type === 'update' &&
      !isDeepStrictEqual(applyReportPatch(content, event.patch), content),
    isOf: ({ event }, kind: keyof ReportEffects) =>
      event.type === 'effect.failed' && event.kind === kind,
  },
})

const record = {
  type: 'effect',
  params: { kind: 'record', retry: 'safe', params: {} },
} as const
const notifyPredecessorEffect = {
  type: 'effect',
  params: { kind: 'tell_predecessor', retry: 'safe', params: {} },
} as const

export const reportMachine = reportSetup.createMachine({
  id: 'report',
  context: ({ input }) => ({
    ...newState(input),
    content: input.content,
    supersedes: input.supersedes ?? null,
    supersededBy: null,
    authorIds: [input.by.id],
    published: null,
    withdrawn: null,
    recorded: 0,
    isPredecessorUntold: false,
    deadlines: {},
  }),
  entry: record,
  on: {
    recorded: { actions: 'recorded' },
    predecessor_told: { actions: 'predecessorTold' },
    // Waiting callers get an answer, although the record is unchanged.
    'effect.failed': [
      { guard: { type: 'isOf', params: 'record' }, actions: 'unrecorded' },
      { guard: { type: 'isOf', params: 'tell_predecessor' }, actions: 'predecessorTold' },
    ],
  },
  initial: 'draft',
  states: {
    draft: {
      on: {
        update: { guard: 'changes', actions: ['update', record] },
        publish: { target: 'published', actions: ['publish', record, notifyPredecessorEffect] },
      },
    },
    published: {
      on: {
        supersede: { target: 'superseded', actions: ['supersede', record] },
        withdraw: { target: 'withdrawn', actions: ['withdraw', record] },
      },
    },
    superseded: {},
    withdrawn: {},
  },
})
