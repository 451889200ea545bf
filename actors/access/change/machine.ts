/**
 * A change, from its draft to its outcome. Pure: times come from the event's `at`, side effects are
 * requested as `effect`, and the ends of windows are persisted deadlines.
 */
import { assign, setup } from 'xstate'
import type { ActorCommand } from '../../../proto/actor.ts'
import type {
  AppliedChange,
  changeActor,
  ChangeDocument,
  ChangeInput,
  ChangeStatus,
  SeenTarget,
} from '../../../proto/access/changes/change.ts'
import { authorName } from '../../../proto/access/author.ts'
import { digestOf } from '../../../proto/access/digest.ts'
import type { FrozenPolicy } from '../../../proto/access/grants/review.ts'
import { openSlots } from '../../../proto/access/grants/review-slots.ts'
import type {
  EffectRequestOf,
  RuntimeEvent,
  Timestamped,
} from '../../../runtime/actor/actor-kind.ts'
import { voidReviews, withReview } from '../common/reviews.ts'
import { changedBy, newState } from '../common/state.ts'
import { historyAfter } from './apply/history.ts'
import { changeReviewSubject } from './parties.ts'
import { afterMissedReview, afterPostReview, postReviewDue } from './post-review.ts'
import type { ChangeContext } from './context.ts'

export type ChangeEvent = Timestamped<
  | ActorCommand<typeof changeActor>
  /** The check has found no objection. */
  | {
      readonly type: 'checked'
      readonly shown: ChangeDocument
      readonly digest: string
      readonly seen: SeenTarget | null
    }
  | { readonly type: 'booked' }
  | { readonly type: 'applied'; readonly to: AppliedChange | null }
  | { readonly type: 'conflicted'; readonly version: number; readonly fields: readonly string[] }
  | RuntimeEvent
>

/** No parameters: the effects read the change's state. */
type NoParams = Readonly<Record<never, never>>

/** The effects of a change: name → parameters. */
export type ChangeEffects = {
  /** Fails with the error for the proposer. */
  readonly check: NoParams
  /** Fails if another change has booked the target in that time. */
  readonly book: NoParams
  readonly unbook: NoParams
  /** Writes the decided work; a repeat finds what was written. */
  readonly apply: NoParams
}
type ChangeEffect = EffectRequestOf<ChangeEffects>

const effect = <K extends keyof ChangeEffects>(kind: K) =>
  ({ type: 'effect', params: { kind, retry: 'safe', params: {} } }) as const

const enter = (status: ChangeStatus) => ({ type: 'enter', params: status }) as const

const deadline = (name: string, atMs: number | undefined): ChangeContext['deadlines'] =>
  atMs === undefined ? {} : { [name]: atMs }

const notUnderWay = { window: null, wanted: null, implementer: null, isLate: false } as const

const changeSetup = setup({
  types: {
    context: {} as ChangeContext,
    input: {} as ChangeInput,
    events: {} as ChangeEvent,
  },
  actions: {
    /** Placeholder: the runtime runs effects after their entry is durable. */
    effect: (_, _request: ChangeEffect) => undefined,
    change: assign(({ context, event }) => changedBy(context, event)),
    enter: assign(({ context, event }, status: ChangeStatus) => ({
      history: historyAfter(context.history, status, event),
    })),
    revise: assign(({ event }) => (event.type === 'revise' ? { terms: event.terms } : {})),
    /** Reviews of an earlier version no longer count. */
    begin: assign(({ context, event }) => ({
      staffing: event.type === 'propose' ? event.staffing : context.staffing,
      shown: null,
      digest: null,
      policy: null,
      seen: null,
      reviews: voidReviews(context.reviews),
      refusal: null,
      message: null,
    })),
    freeze: assign(({ event }) => {
      if (event.type !== 'checked') return {}
      const { shown, digest, seen } = event
      const slots = shown.slots as FrozenPolicy['slots']
      return { shown, digest, seen, policy: { rules: shown.rules, slots } }
    }),
    refuse: assign(({ event }) =>
      event.type === 'effect.failed' ? { refusal: event.error, message: event.error.message } : {},
    ),
    review: assign(({ context, event }) =>
      event.type === 'review' ? { reviews: withReview(changeReviewSubject(context), event) } : {},
    ),
    explain: assign(({ event }) => ('reason' in event ? { message: event.reason } : {})),
    sendBack: assign({ wasReturned: true }),
    want: assign(({ context, event }, bookedFrom: ChangeContext['bookedFrom']) => ({
      wanted: event.type === 'schedule' ? (event.window ?? context.terms.window ?? null) : null,
      bookedFrom,
      refusal: null,
      message: null,
    })),
    book: assign(({ context: { wanted } }) => ({ window: wanted, wanted: null })),
    watch: assign(({ context: { window } }) => ({
      deadlines: deadline('window_ends', window?.endMs),
    })),
    start: assign(({ event }) =>
      event.type === 'start'
        ? {
            implementer: { id: event.by.id, atMs: event.at },
            startedAtMs: event.at,
            refusal: null,
            message: null,
          }
        : {},
    ),
    beLate: assign({ isLate: true, deadlines: {} }),
    /** Evidence of the work, recorded before the records are written. */
    report: assign(({ event }) => {
      if (event.type !== 'complete') return {}
      const { by, evidence, notes, at } = event
      return {
        result: { by, evidence, notes, atMs: at },
        refusal: null,
        message: null,
        conflict: null,
      }
    }),
    finish: assign(({ context, event }) => {
      const postReview = postReviewDue(context, event.at)
      return {
        applied: event.type === 'applied' ? event.to : null,
        postReview,
        deadlines: deadline('post_review', postReview?.byMs),
      }
    }),
    /** The decision was about another state of the target, so it has to be made again. */
    meetConflict: assign(({ context, event }) => {
      if (event.type !== 'conflicted') return {}
      const { version, fields, at } = event
      const { terms } = context
      const work = 'version' in terms.work ? { ...terms.work, version } : terms.work
      return {
        ...notUnderWay,
        terms: { ...terms, work },
        conflict: { version, fields, atMs: at },
        result: null,
        deadlines: {},
      }
    }),
    leave: assign({ ...notUnderWay, deadlines: {} }),
    miss: assign({
      ...notUnderWay,
      deadlines: {},
      message: 'The window has passed; schedule the change again.',
    }),
    postReview: assign(({ context, event }) =>
      event.type === 'post_review' ? afterPostReview(context, event.by) : {},
    ),
    missPostReview: assign(({ context }) => afterMissedReview(context)),
  },
  guards: {
    isOther: ({ context, event }) =>
      event.type === 'revise' && digestOf(event.terms) !== digestOf(context.terms),
    isStandard: ({ context }) => context.terms.type === 'standard',
    isRun: ({ context }) => context.terms.run !== undefined,
    isRefusedRun: ({ context, event }) =>
      event.type === 'effect.failed' && event.kind === 'check' && context.terms.run !== undefined,
    wasReturned: ({ context, event }) =>
      event.type === 'effect.failed' && event.kind === 'check' && context.wasReturned,
    isOf: ({ event }, kind: keyof ChangeEffects) =>
      event.type === 'effect.failed' && event.kind === kind,
    isRefusedFrom: ({ context, event }, from: ChangeContext['bookedFrom']) =>
      event.type === 'effect.failed' && event.kind === 'book' && context.bookedFrom === from,
    isDenial: ({ event }) => event.type === 'review' && event.decision === 'deny',
    asksForChanges: ({ event }) => event.type === 'review' && event.decision === 'request_changes',
    isLast: ({ context, event }) =>
      event.type === 'review' &&
      openSlots({ ...context, reviews: withReview(changeReviewSubject(context), event) }).length ===
        0,
    isReviewDue: ({ context }) => context.postReview?.status === 'due',
  },
})

const cancel = {
  cancel: { target: 'cancelled', actions: ['change', 'explain', 'leave'] },
} as const
const editing = {
  revise: { guard: 'isOther', actions: ['change', 'revise'] },
  propose: { target: 'checking', actions: ['change', 'begin'] },
  ...cancel,
} as const

const decided = [
  { target: 'rejected', guard: 'isDenial', actions: ['change', 'review', 'explain'] },
  {
    target: 'returned',
    guard: 'asksForChanges',
    actions: ['change', 'review', 'explain', 'sendBack'],
  },
  { target: 'approved', guard: 'isLast', actions: ['change', 'review'] },
] as const

const schedule = (from: ChangeContext['bookedFrom']) =>
  ({
    schedule: { target: 'booking', actions: ['change', { type: 'want', params: from }] },
  }) as const
const backTo = <S extends ChangeContext['bookedFrom']>(state: S) =>
  ({
    target: state,
    guard: { type: 'isRefusedFrom', params: state },
    actions: ['change', 'refuse'],
  }) as const

export const changeMachine = changeSetup.createMachine({
  id: 'change',
  context: ({ input }) => ({
    ...newState(input),
    id: input.id,
    tenant: input.tenant,
    terms: input.terms,
    ...{ shown: null, digest: null, policy: null, seen: null, reviews: [] },
    ...notUnderWay,
    ...{ bookedFrom: 'approved', result: null, applied: null, conflict: null },
    ...{ postReview: null, refusal: null, message: null, wasReturned: false },
    history: [{ status: 'draft', atMs: input.createdAtMs, by: authorName(input.by) }],
    deadlines: {},
  }),
  initial: 'draft',
  states: {
    draft: {
      entry: enter('draft'),
      // A run was approved together with its action, so it needs no proposal.
      always: { target: 'checking', guard: 'isRun' },
      on: editing,
    },
    checking: {
      entry: [enter('checking'), effect('check')],
      on: {
        checked: [
          { target: 'approved', guard: 'isStandard', actions: ['change', 'freeze', 'sendBack'] },
          { target: 'proposed', actions: ['change', 'freeze', 'sendBack'] },
        ],
        'effect.failed': [
          { target: 'cancelled', guard: 'isRefusedRun', actions: ['change', 'refuse'] },
          { target: 'returned', guard: 'wasReturned', actions: ['change', 'refuse'] },
          {
            target: 'draft',
            guard: { type: 'isOf', params: 'check' },
            actions: ['change', 'refuse'],
          },
        ],
      },
    },
    proposed: {
      entry: enter('proposed'),
      on: {
        review: [...decided, { target: 'reviewed', actions: ['change', 'review'] }],
        ...cancel,
      },
    },
    reviewed: {
      entry: enter('reviewed'),
      on: { review: [...decided, { actions: ['change', 'review'] }], ...cancel },
    },
    returned: { entry: enter('returned'), on: editing },
    approved: { entry: enter('approved'), on: { ...schedule('approved'), ...cancel } },
    booking: {
      entry: [enter('booking'), effect('book')],
      on: {
        booked: { target: 'scheduled', actions: ['change', 'book'] },
        'effect.failed': [backTo('scheduled'), backTo('failed'), backTo('approved')],
      },
    },
    scheduled: {
      entry: ['watch', enter('scheduled')],
      on: {
        ...schedule('scheduled'),
        start: { target: 'in_progress', actions: ['change', 'start'] },
        cancel: { target: 'cancelled', actions: [...cancel.cancel.actions, effect('unbook')] },
        'deadline.window_ends': { target: 'approved', actions: ['change', 'miss'] },
      },
    },
    in_progress: {
      entry: enter('in_progress'),
      on: {
        complete: { target: 'applying', actions: ['change', 'report'] },
        fail: { target: 'failed', actions: ['change', 'explain', 'leave', effect('unbook')] },
        'deadline.window_ends': { actions: ['change', 'beLate'] },
      },
    },
    applying: {
      entry: [enter('applying'), effect('apply')],
      on: {
        applied: { target: 'done', actions: ['change', 'finish', effect('unbook')] },
        conflicted: {
          target: 'checking',
          actions: ['change', 'begin', 'meetConflict', effect('unbook')],
        },
        'effect.failed': {
          target: 'in_progress',
          guard: { type: 'isOf', params: 'apply' },
          actions: ['change', 'refuse'],
        },
        'deadline.window_ends': { actions: ['change', 'beLate'] },
      },
    },
    done: {
      entry: enter('done'),
      on: {
        post_review: { guard: 'isReviewDue', actions: ['change', 'postReview'] },
        'deadline.post_review': { guard: 'isReviewDue', actions: ['change', 'missPostReview'] },
      },
    },
    failed: {
      entry: enter('failed'),
      on: {
        ...schedule('failed'),
        roll_back: { target: 'rolled_back', actions: ['change', 'explain'] },
      },
    },
    rolled_back: { entry: enter('rolled_back') },
    rejected: { entry: enter('rejected') },
    cancelled: { entry: enter('cancelled') },
  },
})
