/**
 * A person who signs in: staff of the provider, or a member of one client. Passwords arrive as
 * hashes, and sign-ins are stored as hashes. Pure: times come from the event's `at`.
 */
import { isDeepStrictEqual } from 'node:util'
import { assign, setup } from 'xstate'
import type { Author } from '../../../proto/access/author.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type { personActor, PersonInput } from '../../../proto/access/people/person.ts'
import type { ActorCommand } from '../../../proto/actor.ts'
import type {
  EffectRequestOf,
  RuntimeEvent,
  Timestamped,
} from '../../../runtime/actor/actor-kind.ts'
import {
  addCitation,
  isCitedBy,
  notifyGrantsEffect,
  type NotifyGrants,
} from '../common/citations.ts'
import { changedBy, newState, secondSignature } from '../common/state.ts'
import { hasPasskey, newPasskey, recordPasskeyUse, withChallenge } from './passkeys.ts'
import {
  resetMade,
  rightsAtFirst,
  rightsConfirmed,
  rightsReinvited,
  rightsReplaced,
  rightsReset,
} from './rights.ts'
import { withView } from './saved-views.ts'
import {
  failuresAt,
  lockLength,
  newSession,
  nextLock,
  removeSession,
  stepUpSession,
  withNetwork,
  withSession,
} from './sessions.ts'
import type { PersonContext } from './context.ts'

export type PersonEvent = Timestamped<ActorCommand<typeof personActor> | RuntimeEvent>

/** The effects of a person: name → parameters. */
export type PersonEffects = { readonly tell_grants: NotifyGrants }
type PersonEffect = EffectRequestOf<PersonEffects>

const newInvitation = (hash: string, at: number): PersonContext['invitation'] => ({
  hash,
  expiresAtMs: at + limits.invitationMs,
})

/** Answered challenges are kept, so that a reset does not make an answer valid again. */
const noCredentials = {
  invitation: null,
  reset: null,
  password: null,
  totp: null,
  passkeys: [],
  sessions: [],
  failures: [],
  deadlines: {},
} as const

const asAuthor = ({ id, kind, roles }: PersonContext): Author => ({ kind, id, roles })

/** A change by the person to their own record, such as signing in or out. */
const ownChange = (context: PersonContext, at: number) =>
  changedBy(context, { at, by: asAuthor(context) })

const afterCode = ({ lastCodeStep }: PersonContext, event: { readonly codeStep?: number }) => ({
  lastCodeStep: event.codeStep ?? lastCodeStep,
})

const failuresWith = ({ context, event }: { context: PersonContext; event: PersonEvent }) => [
  ...failuresAt(context.failures, event.at),
  event.at,
]

/** Who removes staff; a single operator does it alone. */
function departure(
  { removal }: PersonContext,
  { by, at }: { readonly by: Author; readonly at: number },
): Pick<PersonContext, 'departure'> {
  const firstIds = by.singleOperator ? [removal?.by.id ?? by.id] : []
  return { departure: secondSignature(by, at, firstIds) }
}

const personSetup = setup({
  types: { context: {} as PersonContext, input: {} as PersonInput, events: {} as PersonEvent },
  actions: {
    /** Placeholder: the runtime runs effects after their entry is durable. */
    effect: (_, _request: PersonEffect) => undefined,
    invite: assign(({ context, event }) => {
      if (event.type !== 'reinvite') return {}
      const invitation = newInvitation(event.invitationHash, event.at)
      return { invitation, ...rightsReinvited(context, event), ...changedBy(context, event) }
    }),
    accept: assign(({ context, event }) => {
      if (event.type !== 'accept') return {}
      const { password, at } = event
      return { invitation: null, password, ...ownChange(context, at) }
    }),
    reset: assign(({ context, event }) => {
      if (event.type !== 'reset') return {}
      return { reset: resetMade(event), ...changedBy(context, event) }
    }),
    useReset: assign(({ context, event }) => {
      if (event.type !== 'use_reset') return {}
      const { password, at } = event
      const rights = rightsReset(context, at)
      return { ...noCredentials, ...rights, password, ...ownChange(context, at) }
    }),
    signIn: assign(({ context, event }) => {
      if (event.type !== 'sign_in') return {}
      const { at } = event
      return {
        sessions: withSession(context.sessions, newSession(event), at),
        failures: [],
        networks: withNetwork(context.networks, event.net),
        lastSignInAtMs: at,
        ...afterCode(context, event),
        ...recordPasskeyUse(context, event),
        ...ownChange(context, at),
      }
    }),
    countFailure: assign({ failures: failuresWith }),
    lock: assign(({ context, event }) => {
      const locks = nextLock(context.locks, event.at)
      return {
        failures: [],
        locks,
        deadlines: { unlock: event.at + lockLength(locks) },
        ...changedBy(context, { at: event.at }),
      }
    }),
    unlock: assign(({ context, event }) => ({
      deadlines: {},
      ...changedBy(context, { at: event.at }),
    })),
    stepUp: assign(({ context, event }) => {
      if (event.type !== 'step_up') return {}
      const sessions = stepUpSession(context.sessions, event.sessionId, event.at)
      const proof = { ...afterCode(context, event), ...recordPasskeyUse(context, event) }
      return { sessions, ...proof, ...ownChange(context, event.at) }
    }),
    signOut: assign(({ context, event }) => {
      if (event.type !== 'sign_out') return {}
      const sessions = removeSession(context.sessions, event.sessionId)
      return { sessions, ...ownChange(context, event.at) }
    }),
    setTotp: assign(({ context, event }) => {
      if (event.type !== 'set_totp') return {}
      return { totp: event.totp, ...afterCode(context, event), ...changedBy(context, event) }
    }),
    /** The version stays, because the secret is the same. */
    reseal: assign(({ event }) => (event.type === 'resealed' ? { totp: event.totp } : {})),
    addPasskey: assign(({ context, event }) => {
      if (event.type !== 'add_passkey') return {}
      return {
        passkeys: [...context.passkeys, newPasskey(event)],
        challenges: withChallenge(context, event.challenge, event.at),
        ...changedBy(context, event),
      }
    }),
    removePasskey: assign(({ context, event }) => {
      if (event.type !== 'remove_passkey') return {}
      const passkeys = context.passkeys.filter(({ id }) => id !== event.passkeyId)
      return { passkeys, ...changedBy(context, event) }
    }),
    saveView: assign(({ context, event }) => {
      if (event.type !== 'save_view') return {}
      return { savedViews: withView(context.savedViews, event.saved), ...changedBy(context, event) }
    }),
    dropView: assign(({ context, event }) => {
      if (event.type !== 'drop_view') return {}
      const savedViews = context.savedViews.filter(({ id }) => id !== event.viewId)
      return { savedViews, ...changedBy(context, event) }
    }),
    setPassword: assign(({ context, event }) => {
      if (event.type !== 'set_password') return {}
      const sessions = context.sessions.filter(({ id }) => id === event.sessionId)
      const { password } = event
      return {
        password,
        sessions,
        reset: null,
        ...afterCode(context, event),
        ...changedBy(context, event),
      }
    }),
    setRoles: assign(({ context, event }) =>
      event.type === 'set_roles'
        ? { ...rightsReplaced(context, event), ...changedBy(context, event) }
        : {},
    ),
    confirm: assign(({ context, event }) =>
      event.type === 'confirm'
        ? { ...rightsConfirmed(context, event), ...changedBy(context, event) }
        : {},
    ),
    proposeRemoval: assign(({ context, event }) => {
      if (event.type !== 'propose_removal') return {}
      const { by, at: atMs, reason } = event
      return { removal: { by, atMs, reason }, ...changedBy(context, event) }
    }),
    withdrawRemoval: assign(({ context, event }) =>
      event.type === 'withdraw_removal' ? { removal: null, ...changedBy(context, event) } : {},
    ),
    remove: assign(({ context, event }) => ({
      ...noCredentials,
      removal: null,
      awaiting: null,
      ...(event.type === 'remove' && {
        ...departure(context, event),
        ...changedBy(context, event),
      }),
    })),
    cite: assign(({ context, event }) =>
      event.type === 'cite' ? addCitation(context, event) : {},
    ),
  },
  guards: {
    isLastFailure: (args) => failuresWith(args).length >= limits.failedSignInsPerPerson,
    hasSession: ({ context, event }) =>
      event.type === 'sign_out' &&
      context.sessions.some(({ id }) => event.sessionId === undefined || id === event.sessionId),
    isOtherTotp: ({ context, event }) => event.type === 'set_totp' && event.totp !== context.totp,
    isStill: ({ context, event }) => event.type === 'resealed' && event.was === context.totp,
    hasPasskey: ({ context, event }) =>
      event.type === 'remove_passkey' && hasPasskey(context, event.passkeyId),
    hasView: ({ context, event }) =>
      event.type === 'drop_view' && context.savedViews.some(({ id }) => id === event.viewId),
    isProposed: ({ context }) => !!context.removal,
    areOtherRoles: ({ context, event }) =>
      event.type === 'set_roles' &&
      (!!context.awaiting ||
        !isDeepStrictEqual([...event.roles].sort(), [...context.roles].sort())),
    isNewCitation: ({ context, event }) =>
      event.type === 'cite' && !isCitedBy(context, event.grantId),
  },
})

const endGrants = {
  type: 'effect',
  params: ({ context, event }: { context: PersonContext; event: PersonEvent }): PersonEffect =>
    notifyGrantsEffect('subject_removed', event.type === 'remove' ? event.by : context.updatedBy),
} as const

/** Administration and citations, in every state but the last. */
const always = {
  set_roles: { guard: 'areOtherRoles', actions: 'setRoles' },
  confirm: { actions: 'confirm' },
  remove: { target: 'removed', actions: ['remove', endGrants] },
  cite: { guard: 'isNewCitation', actions: 'cite' },
} as const

/** For people with a password. A lock refuses passwords from new networks, and ends no sign-in. */
const signedIn = {
  sign_in: { actions: 'signIn' },
  step_up: { actions: 'stepUp' },
  sign_out: { guard: 'hasSession', actions: 'signOut' },
  reset: { actions: 'reset' },
  use_reset: { target: 'active', actions: 'useReset' },
  set_totp: { guard: 'isOtherTotp', actions: 'setTotp' },
  resealed: { guard: 'isStill', actions: 'reseal' },
  set_password: { actions: 'setPassword' },
  propose_removal: { actions: 'proposeRemoval' },
  withdraw_removal: { guard: 'isProposed', actions: 'withdrawRemoval' },
  add_passkey: { actions: 'addPasskey' },
  remove_passkey: { guard: 'hasPasskey', actions: 'removePasskey' },
  save_view: { actions: 'saveView' },
  drop_view: { guard: 'hasView', actions: 'dropView' },
} as const

export const personMachine = personSetup.createMachine({
  id: 'person',
  context: ({ input }) => ({
    ...newState(input),
    email: input.email,
    name: input.name,
    kind: input.kind,
    ...rightsAtFirst(input),
    invitation: newInvitation(input.invitationHash, input.createdAtMs),
    reset: null,
    password: null,
    totp: null,
    lastCodeStep: 0,
    passkeys: [],
    savedViews: [],
    challenges: [],
    sessions: [],
    failures: [],
    lastSignInAtMs: null,
    citations: [],
    deadlines: {},
  }),
  initial: 'invited',
  states: {
    invited: {
      on: {
        ...always,
        reinvite: { actions: 'invite' },
        accept: { target: 'active', actions: 'accept' },
      },
    },
    active: {
      on: {
        ...always,
        ...signedIn,
        sign_in_failed: [
          { target: 'locked', guard: 'isLastFailure', actions: 'lock' },
          { actions: 'countFailure' },
        ],
      },
    },
    locked: {
      on: { ...always, ...signedIn, 'deadline.unlock': { target: 'active', actions: 'unlock' } },
    },
    removed: {},
  },
})
