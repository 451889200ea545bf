/**
 * An access request, from its draft to its grant. Pure: every time it reads is the event's `at`,
 * everything it wants done is an `effect`.
 */
import { assign, setup } from 'xstate'
import type { ActorCommand } from '../../../proto/actor.ts'
import type { AccessState } from '../../../proto/access/common.ts'
import { digestOf } from '../../../proto/access/digest.ts'
import type { ClientId, GrantId, RequestId } from '../../../proto/access/ids.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type {
  requestActor,
  RequestInput,
  RequestPolicy,
  RequestTerms,
  ReviewedFacts,
} from '../../../proto/access/request.ts'
import type { Review } from '../../../proto/access/review.ts'
import { openSlots } from '../../../proto/access/review-slots.ts'
import type { WireError } from '../../../proto/errors.ts'
import type {
  ActorContext,
  EffectRequestOf,
  RuntimeEvent,
  Stamped,
} from '../../../runtime/actor-kind.ts'
import { voided, withReview, type Reviewed } from '../common/reviews.ts'
import { changedBy, newState } from '../common/state.ts'
import type { RequestEffects } from './effects.ts'

export interface RequestContext extends AccessState, ActorContext {
  readonly id: RequestId
  readonly tenant: ClientId
  readonly terms: RequestTerms
  readonly shown: ReviewedFacts | null
  readonly digest: string | null
  /** Frozen on submission. */
  readonly policy: RequestPolicy | null
  readonly reviews: readonly Review[]
  /** Why it came back or lapsed. */
  readonly refusal: WireError | null
  readonly message: string | null
  readonly grantId: GrantId | null
  /** It was sent back before, so a failed check leads there again. */
  readonly wasReturned: boolean
}

export type RequestEvent = Stamped<
  | ActorCommand<typeof requestActor>
  /** The check has found nothing against it. */
  | { readonly type: 'checked'; readonly shown: ReviewedFacts; readonly digest: string }
  | { readonly type: 'granted' }
  | RuntimeEvent
>
type RequestEffect = EffectRequestOf<RequestEffects>

/** A request makes one grant at most, which has the same time and randomness in its id. */
export const grantIdOf = (id: RequestId): GrantId => `gr_${id.slice(id.indexOf('_') + 1)}`

/** Whoever asks, or gets the access, does not decide on it. */
export const reviewed = ({ createdBy, terms, policy, reviews }: RequestContext): Reviewed => ({
  noun: 'request',
  parties: [createdBy.id, ...(terms.subject.kind === 'person' ? [terms.subject.id] : [])],
  whyParty: 'You asked for this access, or would get it; another person has to review it.',
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
    /** Run by the runtime once the entry that asks for it is durable. */
    effect: (_, _request: RequestEffect) => undefined,
    revise: assign(({ context, event }) =>
      event.type === 'revise' ? { terms: event.terms, ...changedBy(context, event) } : {},
    ),
    /** Reviews were of an earlier form. */
    submit: assign(({ context, event }) => ({
      ...changedBy(context, event),
      shown: null,
      digest: null,
      policy: null,
      reviews: voided(context.reviews),
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
      return { ...changedBy(context, event), reviews: withReview(reviewed(context), event) }
    }),
    /** A denial, or what has to be different. */
    explain: assign(({ event }) => {
      return event.type === 'review' ? { message: event.reason, deadlines: {} } : {}
    }),
    sendBack: assign({ wasReturned: true }),
    chooseGrant: assign(({ context }) => ({ grantId: grantIdOf(context.id), deadlines: {} })),
    finish: assign(({ context, event }) => ({ ...changedBy(context, event), deadlines: {} })),
    expire: assign({ message: 'It was not decided in time; ask again.' }),
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
      openSlots({ ...context, reviews: withReview(reviewed(context), event) }).length === 0,
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
    // A grant that was made before the failure would rest on nothing.
    lapsed: { entry: effect('drop_grant') },
  },
})
