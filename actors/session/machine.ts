/**
 * A session, from the request for a browser to its end. Pure: times come from the event's `at`, and
 * side effects are requested as `effect`. Deadlines are wall-clock ms in the context.
 */
import { assign, setup } from 'xstate'
import { defined } from '../../proto/defined.ts'
import type { WireError } from '../../proto/errors.ts'
import type { ActorCommand } from '../../proto/actor.ts'
import type { BrowserUse } from '../../proto/session/browser-reports.ts'
import type { BrowserClaim } from '../../proto/session/browser-claim.ts'
import type { sessionActor, SessionInput } from '../../proto/session/session-protocol.ts'
import type { ProfileOutcome } from '../../proto/session/profile.ts'
import type { EndReason } from '../../proto/session/session.ts'
import type { RuntimeEvent, Timestamped } from '../../runtime/actor/actor-kind.ts'
import { dismissEffect, tasksIn, turnEffect } from './tasks.ts'
import type { SessionContext } from './context.ts'
import {
  auditEndEffect,
  claimEffect,
  keptProfile,
  releaseEffect,
  verifyEffect,
  type SessionEffect,
} from './effect-requests.ts'

export type SessionEvent = Timestamped<
  | ActorCommand<typeof sessionActor>
  | {
      readonly type: 'claimed'
      readonly claim: BrowserClaim
      readonly profile?: ProfileOutcome
    }
  | {
      readonly type: 'released'
      readonly profile?: ProfileOutcome
      readonly use?: BrowserUse
    }
  | RuntimeEvent
>

const minuteMs = 60_000

/** A deadline `minutes` after `from`; none if the limit is off. */
function deadline(name: 'max' | 'idle', from: number, minutes: number): Record<string, number> {
  return minutes === -1 ? {} : { [name]: from + minutes * minuteMs }
}

function withoutIdle({ idle: _, ...others }: Readonly<Record<string, number>>) {
  return others
}

const baseSetup = setup({
  types: {
    context: {} as SessionContext,
    input: {} as SessionInput,
    events: {} as SessionEvent,
  },
  actions: {
    /** Placeholder: the runtime runs effects after their entry is durable. */
    effect: (_, _request: SessionEffect) => undefined,
    takeBrowser: assign(({ context, event }) => {
      if (event.type !== 'claimed') return {}
      const { maxDurationMinutes, idleTimeoutMinutes } = context.options
      return {
        claim: event.claim,
        ...defined({ profile: event.profile }),
        deadlines: {
          ...deadline('max', context.createdAtMs, maxDurationMinutes),
          ...(tasksIn(context).length === 0 && deadline('idle', event.at, idleTimeoutMinutes)),
        },
      }
    }),
    addHolder: assign(({ context, event }) => {
      if (event.type !== 'attach') return {}
      return {
        holders: [...context.holders, event.by],
        deadlines: withoutIdle(context.deadlines),
      }
    }),
    dropHolder: assign(({ context, event }) => {
      const gone = goneHolder(event)
      const holders = context.holders.filter((holder) => holder !== gone)
      if (holders.length > 0 || tasksIn(context).length > 0) return { holders }
      const quietMs = (event.type === 'disconnected' && event.quietMs) || 0
      const idle = deadline('idle', event.at - quietMs, context.options.idleTimeoutMinutes)
      return { holders, deadlines: { ...context.deadlines, ...idle } }
    }),
    addTask: assign(({ context, event }) => {
      if (event.type !== 'task.enter') return {}
      return {
        tasks: [...tasksIn(context), event.task],
        deadlines: withoutIdle(context.deadlines),
      }
    }),
    dropTask: assign(({ context, event }) => {
      if (event.type !== 'task.leave') return {}
      const tasks = tasksIn(context).filter((task) => task !== event.task)
      if (tasks.length > 0 || context.holders.length > 0 || !context.claim) return { tasks }
      const idle = deadline('idle', event.at, context.options.idleTimeoutMinutes)
      return { tasks, deadlines: { ...context.deadlines, ...idle } }
    }),
    loseContact: assign(({ event }) => ({ unreachableSinceMs: event.at })),
    regainContact: assign({ unreachableSinceMs: undefined }),
    changeAgent: assign(({ context, event }) => {
      if (event.type !== 'browser.adopt' || !context.claim) return {}
      const { incarnation, dataUrl } = event
      return {
        claim: { ...context.claim, incarnation, dataUrl },
        unreachableSinceMs: undefined,
      }
    }),
    finish: assign(({ context, event }) => ({
      endedAtMs: event.at,
      ...savedProfile(context, event),
      ...(event.type === 'released' && defined({ use: event.use })),
    })),
    noteRecording: assign(({ event }) =>
      event.type === 'recording.made' ? { recording: event.made } : {},
    ),
    noteSaved: assign(({ context, event }) => savedProfile(context, event)),
    noteUse: assign(({ event }) => (event.type === 'browser.used' ? { use: event.use } : {})),
    blame: assign((_, params: { reason: EndReason; message?: string; failure?: WireError }) => ({
      reason: params.reason,
      message: params.message ?? null,
      failure: params.failure ?? null,
      deadlines: {},
      holders: [],
    })),
    endLiveLinks: assign(({ context }) => ({
      liveGeneration: (context.liveGeneration ?? 0) + 1,
      usedLinks: {},
    })),
    takeLink: assign(({ context, event }) =>
      event.type === 'live.use'
        ? { usedLinks: { ...context.usedLinks, [event.link]: event.by } }
        : {},
    ),
    extendTimes: assign(({ context, event }) => {
      if (event.type !== 'extend') return {}
      const addedMs = event.minutes * minuteMs
      const { max, idle, ...others } = context.deadlines
      return {
        deadlines: {
          ...others,
          ...(max !== undefined && { max: max + addedMs }),
          ...(idle !== undefined && { idle: Math.max(idle, event.at + addedMs) }),
        },
      }
    }),
    noteLogin: assign(({ context: { profile = {} }, event }) => {
      if (event.type !== 'login.filled') return {}
      const { logins = [], filled = [], ended = [] } = profile
      const { login } = event
      return {
        profile: {
          ...profile,
          filled: [...filled, login],
          ...(logins.includes(login) && { ended: [...ended, login] }),
        },
      }
    }),
    setTags: assign(({ event }) => (event.type === 'tag' ? { tags: event.tags } : {})),
  },
  guards: {
    isNewHolder: ({ context, event }) =>
      event.type === 'attach' && !context.holders.includes(event.by),
    isHolder: ({ context, event }) => context.holders.includes(goneHolder(event) ?? ''),
    isNewTask: ({ context, event }) =>
      event.type === 'task.enter' && !tasksIn(context).includes(event.task),
    isInLine: ({ context, event }) =>
      event.type === 'task.leave' && tasksIn(context).includes(event.task),
    hasTasks: ({ context }) => tasksIn(context).length > 0,
    isFirstOfSeveral: ({ context, event }) =>
      event.type === 'task.leave' &&
      tasksIn(context).length > 1 &&
      tasksIn(context)[0] === event.task,
    isNewLogin: ({ context: { options, profile }, event }) =>
      event.type === 'login.filled' &&
      options.profile !== undefined &&
      profile?.filled?.includes(event.login) !== true,
    isItsAgent: ({ context, event }) => isOfItsAgent(context, event),
    isItsSilentAgent: ({ context, event }) =>
      isOfItsAgent(context, event) && !isUnreachable(context),
    isItsAgentBack: ({ context, event }) => isOfItsAgent(context, event) && isUnreachable(context),
    isUnreachable: ({ context }) => isUnreachable(context),
    isHeirOfItsAgent: ({ context: { claim }, event }) =>
      event.type === 'browser.adopt' &&
      event.browserId === claim?.browserId &&
      event.nodeId === claim.nodeId &&
      event.incarnation !== claim.incarnation,
    isItsBrowser: ({ context, event }) =>
      'browserId' in event && event.browserId === context.claim?.browserId,
    isNewLink: ({ context, event }) =>
      event.type === 'live.use' && context.usedLinks?.[event.link] === undefined,
    isItsNewRecording: ({ context: { claim, recording }, event }) =>
      event.type === 'recording.made' &&
      event.browserId === claim?.browserId &&
      recording === undefined,
    hasSaved: ({ context, event }) =>
      event.type === 'released' && event.profile?.saved !== undefined && context.endedAtMs !== null,
    isClosedByClient: ({ context, event }) => isClosedByClient(context, event),
    isClosedWithProfile: ({ context, event }) =>
      isClosedByClient(context, event) && keptProfile(context) !== undefined,
    isClaim: ({ event }) => event.type === 'effect.failed' && event.kind === 'claim',
    isRelease: ({ event }) => event.type === 'effect.failed' && event.kind === 'release',
  },
})

const sessionSetup = baseSetup.extend({
  actions: {
    /** Empties the queue, so that each task is notified only once. */
    dismissTasks: baseSetup.enqueueActions(({ context, enqueue }) => {
      if (tasksIn(context).length === 0) return
      enqueue({ type: 'effect', params: dismissEffect(context) })
      enqueue.assign({ tasks: [] })
    }),
    freeProfile: baseSetup.enqueueActions(({ context, enqueue }) => {
      const params = keptProfile(context)
      if (!params) return
      enqueue({ type: 'effect', params: { kind: 'free_profile', retry: 'safe', params } })
    }),
  },
})

export const isUnreachable = ({ unreachableSinceMs }: SessionContext): boolean =>
  unreachableSinceMs !== undefined

const isOfItsAgent = ({ claim }: SessionContext, event: SessionEvent): boolean =>
  'incarnation' in event && event.incarnation === claim?.incarnation

const isClosedByClient = ({ claim }: SessionContext, event: SessionEvent): boolean =>
  event.type === 'browser.gone' && event.cause === 'closed' && event.browserId === claim?.browserId

/** With what became of it at the release. */
const savedProfile = ({ profile }: SessionContext, event: SessionEvent) =>
  event.type === 'released' && event.profile ? { profile: { ...profile, ...event.profile } } : {}

function goneHolder(event: SessionEvent): string | undefined {
  if (event.type === 'disconnected') return event.by
  return event.type === 'host.dead' ? event.incarnation : undefined
}

const inLine = {
  'task.enter': { guard: 'isNewTask', actions: 'addTask' },
  'task.leave': { guard: 'isInLine', actions: 'dropTask' },
} as const

const giveTurn = { type: 'effect', params: turnEffect } as const

const nodeLost = {
  target: 'lost',
  guard: 'isItsAgent',
  actions: {
    type: 'blame',
    params: { reason: 'node_lost', message: 'The host of the browser was lost.' },
  },
} as const

/** On entering any of the final states. */
const over = [
  'finish',
  { type: 'effect', params: auditEndEffect },
  'freeProfile',
  'dismissTasks',
] as const

export const sessionMachine = sessionSetup.createMachine({
  id: 'session',
  context: ({ input }) => ({
    ...input,
    tags: input.options.tags,
    claim: null,
    holders: [],
    tasks: [],
    deadlines: {},
    reason: null,
    failure: null,
    message: null,
    endedAtMs: null,
  }),
  initial: 'requested',
  on: {
    tag: { actions: 'setTags' },
    'live.use': { guard: 'isNewLink', actions: 'takeLink' },
    'live.revoke': { actions: 'endLiveLinks' },
    // Usually after its end.
    'recording.made': { guard: 'isItsNewRecording', actions: 'noteRecording' },
    // A save that was under way when the agent ended may succeed with the next one.
    released: { guard: 'hasSaved', actions: 'noteSaved' },
  },
  states: {
    requested: { always: 'claiming' },
    claiming: {
      entry: { type: 'effect', params: claimEffect },
      on: {
        ...inLine,
        claimed: [
          { target: 'active', guard: 'hasTasks', actions: ['takeBrowser', giveTurn] },
          { target: 'active', actions: 'takeBrowser' },
        ],
        'effect.failed': {
          target: 'failed',
          guard: 'isClaim',
          actions: {
            type: 'blame',
            params: ({ event }) => ({
              reason: 'start_failed',
              message: event.error.message,
              failure: event.error,
            }),
          },
        },
        end: {
          target: 'ending',
          actions: { type: 'blame', params: ({ event }) => ({ reason: event.reason }) },
        },
      },
    },
    active: {
      on: {
        // For each new task, the turn is offered to the first one again, which leaves if it has ended.
        'task.enter': { guard: 'isNewTask', actions: ['addTask', giveTurn] },
        'task.leave': [
          { guard: 'isFirstOfSeveral', actions: ['dropTask', giveTurn] },
          inLine['task.leave'],
        ],
        extend: { actions: 'extendTimes' },
        'login.filled': { guard: 'isNewLogin', actions: 'noteLogin' },
        attach: { guard: 'isNewHolder', actions: 'addHolder' },
        disconnected: { guard: 'isHolder', actions: 'dropHolder' },
        recovered: { actions: { type: 'effect', params: verifyEffect } },
        'host.dead': [nodeLost, { guard: 'isHolder', actions: 'dropHolder' }],
        'host.silent': { guard: 'isItsSilentAgent', actions: 'loseContact' },
        'host.back': { guard: 'isItsAgentBack', actions: 'regainContact' },
        'browser.adopt': { guard: 'isHeirOfItsAgent', actions: 'changeAgent' },
        'browser.used': { guard: 'isItsBrowser', actions: 'noteUse' },
        'browser.gone': [
          {
            // The agent keeps what a browser that was closed in order has left.
            target: 'ending',
            guard: 'isClosedWithProfile',
            actions: { type: 'blame', params: { reason: 'browser_closed' } },
          },
          {
            target: 'ended',
            guard: 'isClosedByClient',
            actions: { type: 'blame', params: { reason: 'browser_closed' } },
          },
          {
            target: 'failed',
            guard: 'isItsBrowser',
            actions: {
              type: 'blame',
              params: ({ event: { cause, detail } }) => ({
                reason: cause === 'out_of_resources' ? cause : 'browser_crashed',
                message: detail,
              }),
            },
          },
        ],
        'deadline.idle': {
          target: 'ending',
          actions: { type: 'blame', params: { reason: 'idle' } },
        },
        'deadline.max': {
          target: 'ending',
          actions: { type: 'blame', params: { reason: 'max_duration' } },
        },
        end: {
          target: 'ending',
          actions: { type: 'blame', params: ({ event }) => ({ reason: event.reason }) },
        },
      },
    },
    ending: {
      entry: [{ type: 'effect', params: releaseEffect }, 'dismissTasks'],
      // The agent asks about its browsers when it is back, and ends this one then.
      always: { target: 'ended', guard: 'isUnreachable' },
      on: {
        'host.silent': { target: 'ended', guard: 'isItsSilentAgent' },
        released: 'ended',
        'effect.failed': { target: 'ended', guard: 'isRelease' },
        'host.dead': { target: 'ended', guard: 'isItsAgent' },
        'browser.used': { guard: 'isItsBrowser', actions: 'noteUse' },
        'browser.gone': { target: 'ended', guard: 'isItsBrowser' },
      },
    },
    ended: { entry: over },
    failed: { entry: over },
    lost: { entry: over },
  },
})
