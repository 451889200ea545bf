/**
 * A client: the owner of data. While it is not active, gateways refuse every access to its data.
 * Pure: times come from the event's `at`.
 */
import { isDeepStrictEqual } from 'node:util'
import { assign, setup } from 'xstate'
import { systemAuthor } from '../../../proto/access/author.ts'
import type {
  BookedWindow,
  clientActor,
  ClientBody,
  ClientInput,
} from '../../../proto/access/engagement/client.ts'
import type { AccessState, SecondSignature } from '../../../proto/access/common.ts'
import type { ClientId, ScopeId } from '../../../proto/access/ids.ts'
import { accessLimits } from '../../../proto/access/limits.ts'
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
import { endEngagementEffect, type EndEngagement } from './engagement.ts'
import { isWindowBooked, withWindow, withoutWindow } from './windows.ts'

/** A retired scope is remembered, because its confirmation may arrive after its retirement. */
export interface KnownScope {
  readonly id: ScopeId
  readonly isActive: boolean
}

export interface ClientContext extends AccessState, ClientBody, CitedState, ActorContext {
  readonly id: ClientId
  readonly tenant: ClientId
  readonly scopes: readonly KnownScope[]
  /** Windows of changes that are not over. */
  readonly windows: readonly BookedWindow[]
  readonly activation: SecondSignature | null
  readonly reason: string | null
}

export type ClientEvent = Timestamped<ActorCommand<typeof clientActor> | RuntimeEvent>

/** The effects of a client: name → parameters. */
export type ClientEffects = {
  readonly tell_grants: NotifyGrants
  readonly end_engagement: EndEngagement
}
type ClientEffect = EffectRequestOf<ClientEffects>

export const hasActiveScope = ({ scopes }: ClientContext): boolean =>
  scopes.some(({ isActive }) => isActive)

const isKnown = ({ scopes }: ClientContext, scope: KnownScope): boolean =>
  scopes.some(({ id, isActive }) => id === scope.id && (isActive === scope.isActive || !isActive))

/** A bounded number is enough, because only the existence of an active scope matters. */
const withScope = ({ scopes }: ClientContext, scope: KnownScope): readonly KnownScope[] =>
  [...scopes.filter(({ id }) => id !== scope.id), scope].slice(-accessLimits.scopesKnownToClient)

function scopeIn(event: ClientEvent): KnownScope | undefined {
  if (event.type !== 'scope_confirmed' && event.type !== 'scope_retired') return undefined
  return { id: event.scopeId, isActive: event.type === 'scope_confirmed' }
}

const clientSetup = setup({
  types: { context: {} as ClientContext, input: {} as ClientInput, events: {} as ClientEvent },
  actions: {
    /** Placeholder: the runtime runs effects after their entry is durable. */
    effect: (_, _request: ClientEffect) => undefined,
    update: assign(({ context, event }) =>
      event.type === 'update' ? { ...event.patch, ...changedBy(context, event) } : {},
    ),
    activate: assign(({ context, event }) => {
      if (event.type !== 'activate') return {}
      const activation = secondSignature(event.by, event.at, [context.createdBy.id])
      return { activation, ...changedBy(context, event) }
    }),
    move: assign(({ context, event }) =>
      'reason' in event ? { reason: event.reason, ...changedBy(context, event) } : {},
    ),
    cite: assign(({ context, event }) =>
      event.type === 'cite' ? addCitation(context, event) : {},
    ),
    book: assign(({ context, event }) =>
      event.type === 'book' ? { windows: withWindow(context, event) } : {},
    ),
    unbook: assign(({ context, event }) =>
      event.type === 'unbook' ? { windows: withoutWindow(context, event.changeId) } : {},
    ),
    noteScope: assign(({ context, event }) => {
      const scope = scopeIn(event)
      return scope ? { scopes: withScope(context, scope) } : {}
    }),
  },
  guards: {
    isNewWindow: ({ context, event }) => event.type === 'book' && !isWindowBooked(context, event),
    hasWindow: ({ context, event }) =>
      event.type === 'unbook' &&
      context.windows.some(({ changeId }) => changeId === event.changeId),
    changes: ({ context, event }) =>
      event.type === 'update' && !isDeepStrictEqual({ ...context, ...event.patch }, context),
    isNewCitation: ({ context, event }) =>
      event.type === 'cite' && !isCitedBy(context, event.grantId),
    isNews: ({ context, event }) => {
      const scope = scopeIn(event)
      return scope !== undefined && !isKnown(context, scope)
    },
  },
})

interface Occasion {
  readonly event: ClientEvent
}
const closer = ({ event }: Occasion) => (event.type === 'close' ? event.by : systemAuthor('clock'))

const endGrants = {
  type: 'effect',
  params: (at: Occasion): ClientEffect => notifyGrantsEffect('client_closed', closer(at)),
} as const
const endNeedsAndScopes = {
  type: 'effect',
  params: (at: Occasion): ClientEffect => endEngagementEffect(closer(at)),
} as const

const update = { update: { guard: 'changes', actions: 'update' } } as const
const offboard = { offboard: { target: 'offboarding', actions: 'move' } } as const

export const clientMachine = clientSetup.createMachine({
  id: 'client',
  context: ({ input }) => ({
    ...newState(input),
    name: input.name,
    slug: input.slug,
    contact: input.contact,
    timezone: input.timezone,
    locale: input.locale,
    scopes: [],
    windows: [],
    citations: [],
    activation: null,
    reason: null,
    deadlines: {},
  }),
  initial: 'onboarding',
  on: {
    scope_confirmed: { guard: 'isNews', actions: 'noteScope' },
    scope_retired: { guard: 'isNews', actions: 'noteScope' },
    unbook: { guard: 'hasWindow', actions: 'unbook' },
  },
  states: {
    onboarding: {
      on: { ...update, activate: { target: 'active', actions: 'activate' } },
    },
    active: {
      on: {
        ...update,
        ...offboard,
        suspend: { target: 'suspended', actions: 'move' },
        cite: { guard: 'isNewCitation', actions: 'cite' },
        book: { guard: 'isNewWindow', actions: 'book' },
      },
    },
    suspended: {
      on: { ...update, ...offboard, resume: { target: 'active', actions: 'move' } },
    },
    offboarding: {
      on: {
        ...update,
        close: { target: 'closed', actions: ['move', endGrants, endNeedsAndScopes] },
      },
    },
    closed: {},
  },
})
