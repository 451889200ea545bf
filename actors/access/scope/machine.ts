/**
 * A service scope: what is contracted for a client. New terms go from a draft through a proposal
 * and a second admin's confirmation into force; the previous terms stay in force until then. Pure:
 * times come from the event's `at`.
 */
import { isDeepStrictEqual } from 'node:util'
import { assign, setup } from 'xstate'
import { systemAuthor } from '../../../proto/access/author.ts'
import type { AccessState } from '../../../proto/access/common.ts'
import type { ClientId, ScopeId } from '../../../proto/access/ids.ts'
import { accessLimits } from '../../../proto/access/limits.ts'
import type {
  ScopeConfirmation,
  scopeActor,
  ScopeInput,
  ScopeTerms,
} from '../../../proto/access/engagement/scope.ts'
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
import { isNarrower, type ScopeProposal } from './terms.ts'

export interface ScopeContext extends AccessState, CitedState, ActorContext {
  readonly id: ScopeId
  readonly tenant: ClientId
  readonly current: ScopeTerms | null
  readonly proposal: ScopeProposal | null
  readonly proposals: number
  readonly confirmations: readonly ScopeConfirmation[]
  readonly reason: string | null
  /** True until the client knows that the scope is in force, or that it has ended. */
  readonly isClientUntold: boolean
}

export type ScopeEvent = Timestamped<
  ActorCommand<typeof scopeActor> | { readonly type: 'client_told' } | RuntimeEvent
>

export interface NotifyClient {
  readonly verb: 'scope_confirmed' | 'scope_retired'
}

/** The effects of a scope: name → parameters. */
export type ScopeEffects = {
  readonly tell_grants: NotifyGrants
  readonly tell_client: NotifyClient
}
type ScopeEffect = EffectRequestOf<ScopeEffects>

const effectiveToDeadline = ({ effectiveToMs }: ScopeTerms) => ({ effective_to: effectiveToMs })

/**
 * The author of a revision counts as the author of all its terms. A scope in force has no drafts,
 * so its proposal is submitted at once.
 */
function withProposal(
  context: ScopeContext,
  terms: ScopeTerms,
  authorId: string,
): Partial<ScopeContext> {
  const number = context.proposals + 1
  const submitterId = context.current ? authorId : null
  return { proposals: number, proposal: { terms, number, authorId, submitterId } }
}

const scopeSetup = setup({
  types: { context: {} as ScopeContext, input: {} as ScopeInput, events: {} as ScopeEvent },
  actions: {
    /** Placeholder: the runtime runs effects after their entry is durable. */
    effect: (_, _request: ScopeEffect) => undefined,
    propose: assign(({ context, event }) => {
      if (event.type !== 'revise') return {}
      return { ...withProposal(context, event.terms, event.by.id), ...changedBy(context, event) }
    }),
    /** An earlier proposal is voided, because its confirmation would undo the narrowing. */
    narrow: assign(({ context, event }) => {
      if (event.type !== 'revise') return {}
      const { terms } = event
      return {
        current: terms,
        proposal: null,
        deadlines: effectiveToDeadline(terms),
        ...changedBy(context, event),
      }
    }),
    submit: assign(({ context, event }) => {
      if (event.type !== 'submit' || !context.proposal) return {}
      const proposal = { ...context.proposal, submitterId: event.by.id }
      return { proposal, ...changedBy(context, event) }
    }),
    confirm: assign(({ context, event }) => {
      if (event.type !== 'confirm' || !context.proposal) return {}
      const { terms } = context.proposal
      const signature = secondSignature(event.by, event.at, proposerIds(context))
      const confirmations = [...context.confirmations, { ...signature, digest: event.digest }]
      return {
        current: terms,
        proposal: null,
        confirmations: confirmations.slice(-accessLimits.confirmationsKept),
        deadlines: effectiveToDeadline(terms),
        isClientUntold: context.isClientUntold || context.current === null,
        ...changedBy(context, event),
      }
    }),
    giveBack: assign(({ context, event }) => {
      if (event.type !== 'return' || !context.proposal) return {}
      const proposal = { ...context.proposal, submitterId: null }
      return { proposal, reason: event.reason, ...changedBy(context, event) }
    }),
    retire: assign(({ context, event }) => ({
      proposal: null,
      deadlines: {},
      isClientUntold: true,
      reason: event.type === 'retire' ? event.reason : 'The effective_to of the scope has passed.',
      ...changedBy(context, event.type === 'retire' ? event : { at: event.at }),
    })),
    cite: assign(({ context, event }) =>
      event.type === 'cite' ? addCitation(context, event) : {},
    ),
    clientTold: assign({ isClientUntold: false }),
  },
  guards: {
    isNewDraft: ({ context, event }) =>
      event.type === 'revise' && !isDeepStrictEqual(event.terms, context.proposal?.terms),
    isNarrower: ({ context: { current }, event }) =>
      event.type === 'revise' &&
      current !== null &&
      !isDeepStrictEqual(event.terms, current) &&
      isNarrower(event.terms, current),
    isOther: ({ context: { current, proposal }, event }) =>
      event.type === 'revise' &&
      !isDeepStrictEqual(event.terms, current) &&
      !isDeepStrictEqual(event.terms, proposal?.terms),
    isNewCitation: ({ context, event }) =>
      event.type === 'cite' && !isCitedBy(context, event.grantId),
    isClientsTelling: ({ event }) => event.type === 'effect.failed' && event.kind === 'tell_client',
  },
})

/** Ids of the people who must not confirm. */
export function proposerIds({ proposal }: ScopeContext): readonly string[] {
  if (!proposal) return []
  const { authorId, submitterId } = proposal
  return submitterId === null ? [authorId] : [authorId, submitterId]
}

const notifyClientEffect = (verb: 'scope_confirmed' | 'scope_retired') =>
  ({
    type: 'effect',
    params: (): ScopeEffect => ({ kind: 'tell_client', retry: 'safe', params: { verb } }),
  }) as const

const endGrants = {
  type: 'effect',
  params: ({ event }: { readonly event: ScopeEvent }): ScopeEffect =>
    notifyGrantsEffect('scope_retired', event.type === 'retire' ? event.by : systemAuthor('clock')),
} as const

const retire = {
  target: 'retired',
  actions: ['retire', endGrants, notifyClientEffect('scope_retired')],
} as const

export const scopeMachine = scopeSetup.createMachine({
  id: 'scope',
  context: ({ input }) => ({
    ...newState(input),
    current: null,
    proposal: { terms: input.terms, number: 1, authorId: input.by.id, submitterId: null },
    proposals: 1,
    confirmations: [],
    reason: null,
    isClientUntold: false,
    citations: [],
    deadlines: {},
  }),
  initial: 'draft',
  on: {
    client_told: { actions: 'clientTold' },
    'effect.failed': { guard: 'isClientsTelling', actions: 'clientTold' },
  },
  states: {
    draft: {
      on: {
        revise: { guard: 'isNewDraft', actions: 'propose' },
        submit: { target: 'proposed', actions: 'submit' },
      },
    },
    proposed: {
      on: {
        return: { target: 'draft', actions: 'giveBack' },
        confirm: { target: 'active', actions: ['confirm', notifyClientEffect('scope_confirmed')] },
      },
    },
    active: {
      on: {
        revise: [
          { guard: 'isNarrower', actions: 'narrow' },
          { guard: 'isOther', actions: 'propose' },
        ],
        submit: { actions: 'submit' },
        return: { actions: 'giveBack' },
        confirm: { actions: 'confirm' },
        cite: { guard: 'isNewCitation', actions: 'cite' },
        retire,
        'deadline.effective_to': retire,
      },
    },
    retired: {},
  },
})
