/**
 * An access request, from its draft to its grant. Pure: times come from the event's `at`, and side
 * effects are requested as `effect`.
 */
import { assign, setup } from 'xstate'
import type { ActorCommand } from '../../../proto/actor.ts'
import type { AccessState } from '../../../proto/access/common.ts'
import { digestOf } from '../../../proto/access/digest.ts'
import type { ClientId, GrantId, RequestId } from '../../../proto/access/ids.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import {
  requestPartiesOf,
  type requestActor,
  type RequestInput,
  type RequestPolicy,
  type RequestTerms,
  type ReviewedFacts,
} from '../../../proto/access/grants/request.ts'
import type { Review } from '../../../proto/access/grants/review.ts'
import type { Staffing } from '../../../proto/access/grants/staffing.ts'
import { openSlots } from '../../../proto/access/grants/review-slots.ts'
import type { WireError } from '../../../proto/errors.ts'
import type {
  ActorContext,
  EffectRequestOf,
  RuntimeEvent,
  Timestamped,
} from '../../../runtime/actor/actor-kind.ts'
import { voidReviews, withReview, type ReviewSubject } from '../common/reviews.ts'
import { changedBy, newState } from '../common/state.ts'

export interface RequestContext extends AccessState, ActorContext {
  readonly id: RequestId
  readonly tenant: ClientId
  readonly terms: RequestTerms
  readonly shown: ReviewedFacts | null
  readonly digest: string | null
  /** Who was there at the last submission; absent if separation was strict. */
  readonly staffing?: Staffing | undefined
  /** Frozen when the request is submitted. */
  readonly policy: RequestPolicy | null
  readonly reviews: readonly Review[]
  /** Why it was returned or lapsed. */
  readonly refusal: WireError | null
  readonly message: string | null
  readonly grantId: GrantId | null
  /** True if it was returned before: then a failed check leads there again. */
  readonly wasReturned: boolean
}

export type RequestEvent = Timestamped<
  | ActorCommand<typeof requestActor>
  /** The check has found no objection. */
  | { readonly type: 'checked'; readonly shown: ReviewedFacts; readonly digest: string }
  | { readonly type: 'granted' }
  | RuntimeEvent
>

/** No parameters: the effects read the request's state. */
type NoParams = Readonly<Record<never, never>>

/** The effects of a request: name → parameters. */
export type RequestEffects = {
  /** Fails with the error for the submitter. */
  readonly check: NoParams
  /** Fails if something that the grant would depend on has ended. */
  readonly make_grant: NoParams
  /** Ends the grant that a failed `make_grant` may have left. */
  readonly drop_grant: NoParams
}
type RequestEffect = EffectRequestOf<RequestEffects>

/** A request creates at most one grant: the grant's id has the same characters as the request's. */
export const grantIdOf = (id: RequestId): GrantId => `gr_${id.slice(id.indexOf('_') + 1)}`

export const requestReviewSubject = ({
  createdBy,
  terms,
  policy,
  reviews,
}: RequestContext): ReviewSubject => ({
  noun: 'request',
  parties: requestPartiesOf({ requestedBy: createdBy, terms }),
  whyParty: 'You requested this access, or would receive it; another person must review it.',
  policy,
  reviews,
})

const effect = <K extends keyof RequestEffects>(kind: K) =>
  ({ type: 'effect', params: { kind, retry: 'safe', params: {} } }) as const

const requestSetup = setup({
  types: {
    context: {} as RequestContext,
    input: {} as RequestInput,
    events: {} as RequestEvent,
  },
  actions: {
    /** Placeholder: the runtime runs effects after their entry is durable. */
    effect: (_, _request: RequestEffect) => undefined,
    revise: assign(({ context, event }) =>
      event.type === 'revise' ? { terms: event.terms, ...changedBy(context, event) } : {},
    ),
    /** Reviews of an earlier version no longer count. */
    submit: assign(({ context, event }) => ({
      ...changedBy(context, event),
      staffing: event.type === 'submit' ? event.staffing : undefined,
      shown: null,
      digest: null,
      policy: null,
      reviews: voidReviews(context.reviews),
      refusal: null,
      message: null,
    })),
    freeze: assign(({ context, event }) => {
      if (event.type !== 'checked') return {}
      const { shown, digest } = event
      const expiresAtMs = event.at + limits.requestPendingMs
      return {
        ...changedBy(context, event),
        shown,
        digest,
        policy: { rules: shown.rules, slots: shown.slots, expiresAtMs },
        deadlines: { expires: expiresAtMs },
      }
    }),
    refuse: assign(({ context, event }) => {
      if (event.type !== 'effect.failed') return {}
      return { ...changedBy(context, event), refusal: event.error, message: event.error.message }
    }),
    review: assign(({ context, event }) => {
      if (event.type !== 'review') return {}
      return {
        ...changedBy(context, event),
        reviews: withReview(requestReviewSubject(context), event),
      }
    }),
    /** Stores the reason of a denial, or the requested changes. */
    explain: assign(({ event }) => {
      return event.type === 'review' ? { message: event.reason, deadlines: {} } : {}
    }),
    sendBack: assign({ wasReturned: true }),
    chooseGrant: assign(({ context }) => ({ grantId: grantIdOf(context.id), deadlines: {} })),
    finish: assign(({ context, event }) => ({ ...changedBy(context, event), deadlines: {} })),
    expire: assign({ message: 'The request was not decided in time; create a new one.' }),
  },
  guards: {
    isOther: ({ context, event }) =>
      event.type === 'revise' && digestOf(event.terms) !== digestOf(context.terms),
    wasReturned: ({ context, event }) =>
      event.type === 'effect.failed' && event.kind === 'check' && context.wasReturned,
    isCheck: ({ event }) => event.type === 'effect.failed' && event.kind === 'check',
    isMakeGrant: ({ event }) => event.type === 'effect.failed' && event.kind === 'make_grant',
    isDenial: ({ event }) => event.type === 'review' && event.decision === 'deny',
    asksForChanges: ({ event }) => event.type === 'review' && event.decision === 'request_changes',
    isLast: ({ context, event }) =>
      event.type === 'review' &&
      openSlots({ ...context, reviews: withReview(requestReviewSubject(context), event) })
        .length === 0,
  },
})

const editing = {
  revise: { guard: 'isOther', actions: 'revise' },
  submit: { target: 'checking', actions: 'submit' },
  withdraw: { target: 'withdrawn', actions: 'finish' },
} as const

export const requestMachine = requestSetup.createMachine({
  id: 'request',
  context: ({ input }) => ({
    ...newState(input),
    id: input.id,
    tenant: input.tenant,
    terms: input.terms,
    shown: null,
    digest: null,
    policy: null,
    reviews: [],
    refusal: null,
    message: null,
    grantId: null,
    wasReturned: false,
    deadlines: {},
  }),
  initial: 'draft',
  states: {
    draft: { on: editing },
    checking: {
      entry: effect('check'),
      on: {
        checked: { target: 'pending', actions: 'freeze' },
        'effect.failed': [
          { target: 'returned', guard: 'wasReturned', actions: 'refuse' },
          { target: 'draft', guard: 'isCheck', actions: 'refuse' },
        ],
      },
    },
    pending: {
      on: {
        review: [
          { target: 'denied', guard: 'isDenial', actions: ['review', 'explain'] },
          {
            target: 'returned',
            guard: 'asksForChanges',
            actions: ['review', 'explain', 'sendBack'],
          },
          { target: 'approved', guard: 'isLast', actions: ['review', 'chooseGrant'] },
          { actions: 'review' },
        ],
        withdraw: { target: 'withdrawn', actions: 'finish' },
        'deadline.expires': { target: 'expired', actions: ['finish', 'expire'] },
      },
    },
    returned: { on: editing },
    approved: {
      entry: effect('make_grant'),
      on: {
        granted: { target: 'fulfilled', actions: 'finish' },
        'effect.failed': { target: 'lapsed', guard: 'isMakeGrant', actions: 'refuse' },
      },
    },
    fulfilled: {},
    denied: {},
    withdrawn: {},
    expired: {},
    // A grant that was created before the failure must not stay.
    lapsed: { entry: effect('drop_grant') },
  },
})
