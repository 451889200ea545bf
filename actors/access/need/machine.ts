/**
 * An operational need: why somebody needs access, and until when. A need that is not closed in time
 * becomes overdue and later closes by itself. Pure: times come from the event's `at`.
 */
import { isDeepStrictEqual } from 'node:util'
import { assign, setup } from 'xstate'
import { systemAuthor } from '../../../proto/access/author.ts'
import type { AccessState } from '../../../proto/access/common.ts'
import type { ClientId, NeedId } from '../../../proto/access/ids.ts'
import { accessLimits } from '../../../proto/access/limits.ts'
import type {
  needActor,
  NeedDetails,
  NeedInput,
  NeedView,
} from '../../../proto/access/engagement/need.ts'
import type { ActorCommand } from '../../../proto/actor.ts'
import type {
  ActorContext,
  EffectRequestOf,
  RuntimeEvent,
  Timestamped,
} from '../../../runtime/actor/actor-kind.ts'
import {
  addCitation,
  isCitedBy,
  notifyGrantsEffect,
  type CitedState,
  type NotifyGrants,
} from '../common/citations.ts'
import { changedBy, newState, secondSignature } from '../common/state.ts'

export interface NeedContext extends AccessState, NeedDetails, CitedState, ActorContext {
  readonly id: NeedId
  readonly tenant: ClientId
  readonly extension: NonNullable<NeedView['extension']> | null
  readonly closedAtMs: number | null
  readonly closedReason: string | null
}

export type NeedEvent = Timestamped<ActorCommand<typeof needActor> | RuntimeEvent>

/** The effects of a need: name → parameters. */
export type NeedEffects = { readonly tell_grants: NotifyGrants }
type NeedEffect = EffectRequestOf<NeedEffects>

const expectedEndDeadline = (expectedEndAtMs: number) => ({ expected_end: expectedEndAtMs })

const needSetup = setup({
  types: { context: {} as NeedContext, input: {} as NeedInput, events: {} as NeedEvent },
  actions: {
    /** Placeholder: the runtime runs effects after their entry is durable. */
    effect: (_, _request: NeedEffect) => undefined,
    update: assign(({ context, event }) =>
      event.type === 'update' ? { ...event.patch, ...changedBy(context, event) } : {},
    ),
    extend: assign(({ context, event }) => {
      if (event.type !== 'extend') return {}
      const { by, at, expectedEndAtMs, reason } = event
      return {
        expectedEndAtMs,
        deadlines: expectedEndDeadline(expectedEndAtMs),
        extension: { ...secondSignature(by, at, [context.ownerId]), reason },
        ...changedBy(context, event),
      }
    }),
    becomeOverdue: assign(({ context, event }) => ({
      deadlines: { abandoned: context.expectedEndAtMs + accessLimits.needOverdueMs },
      ...changedBy(context, { at: event.at }),
    })),
    close: assign(({ context, event }) => ({
      deadlines: {},
      closedAtMs: event.at,
      closedReason:
        event.type === 'close'
          ? event.reason
          : 'The need was not extended within 7 days after its end.',
      ...changedBy(context, event.type === 'close' ? event : { at: event.at }),
    })),
    cite: assign(({ context, event }) =>
      event.type === 'cite' ? addCitation(context, event) : {},
    ),
  },
  guards: {
    changes: ({ context, event }) =>
      event.type === 'update' && !isDeepStrictEqual({ ...context, ...event.patch }, context),
    isOtherEnd: ({ context, event }) =>
      event.type === 'extend' && event.expectedEndAtMs !== context.expectedEndAtMs,
    isNewCitation: ({ context, event }) =>
      event.type === 'cite' && !isCitedBy(context, event.grantId),
  },
})

const endGrants = {
  type: 'effect',
  params: ({ event }: { readonly event: NeedEvent }): NeedEffect =>
    notifyGrantsEffect('need_closed', event.type === 'close' ? event.by : systemAuthor('clock')),
} as const

const whileOpen = {
  update: { guard: 'changes', actions: 'update' },
  cite: { guard: 'isNewCitation', actions: 'cite' },
  close: { target: 'closed', actions: ['close', endGrants] },
} as const

export const needMachine = needSetup.createMachine({
  id: 'need',
  context: ({ input }) => ({
    ...newState(input),
    title: input.title,
    purpose: input.purpose,
    category: input.category,
    reference: input.reference,
    ownerId: input.ownerId,
    expectedEndAtMs: input.expectedEndAtMs,
    extension: null,
    closedAtMs: null,
    closedReason: null,
    citations: [],
    deadlines: expectedEndDeadline(input.expectedEndAtMs),
  }),
  initial: 'open',
  states: {
    open: {
      on: {
        ...whileOpen,
        extend: { guard: 'isOtherEnd', actions: 'extend' },
        'deadline.expected_end': { target: 'overdue', actions: 'becomeOverdue' },
      },
    },
    overdue: {
      on: {
        ...whileOpen,
        extend: { target: 'open', actions: 'extend' },
        'deadline.abandoned': { target: 'closed', actions: ['close', endGrants] },
      },
    },
    closed: {},
  },
})
