/**
 * A webhook endpoint. Pure: times come from the event's `at`. Health reports of workers do not
 * increase the version, because they are not decisions.
 */
import { isDeepStrictEqual } from 'node:util'
import { assign, setup } from 'xstate'
import type { AccessState } from '../../../proto/access/common.ts'
import type {
  endpointActor,
  EndpointInput,
  EndpointReason,
  EndpointSecret,
} from '../../../proto/access/webhooks/endpoint.ts'
import type { EndpointId, DeliveryId } from '../../../proto/access/ids.ts'
import { webhookLimits as limits } from '../../../proto/access/webhooks/webhook-limits.ts'
import type { ActorCommand } from '../../../proto/actor.ts'
import type {
  ActorContext,
  EffectRequestOf,
  RuntimeEvent,
  Timestamped,
} from '../../../runtime/actor/actor-kind.ts'
import { changedBy, newState } from '../common/state.ts'
import { recentPings } from './pings.ts'

type Given = Omit<EndpointInput, 'by' | 'ifVersion' | 'secret'>

export interface EndpointContext extends AccessState, ActorContext, Given {
  readonly id: EndpointId
  readonly tenant: string
  /** Newest first. */
  readonly secrets: readonly EndpointSecret[]
  readonly statusReason: EndpointReason | null
  readonly reason: string | null
  readonly verifiedAtMs: number | null
  readonly lastSuccessAtMs: number | null
  readonly failingSinceMs: number | null
  /** Times of the last pings. */
  readonly pings: readonly number[]
  /** Number of replays and recoveries. */
  readonly resends: number
  readonly endedAtMs: number | null
}

export type EndpointEvent = Timestamped<ActorCommand<typeof endpointActor> | RuntimeEvent>

/** The effects of an endpoint: name → parameters. */
export type EndpointEffects = {
  readonly send_ping: {
    readonly purpose: 'verify' | 'test'
    readonly deliveryId: DeliveryId
    readonly eventType: string
    readonly atMs: number
  }
  readonly replay: {
    readonly sourceId: DeliveryId
    readonly deliveryId: DeliveryId
    readonly atMs: number
  }
  readonly recover: { readonly sinceMs: number; readonly untilMs: number; readonly atMs: number }
}
type EndpointEffect = EffectRequestOf<EndpointEffects>

const withoutDeadline = (deadlines: EndpointContext['deadlines'], name: string) =>
  Object.fromEntries(Object.entries(deadlines).filter(([key]) => key !== name))

const endpointSetup = setup({
  types: {
    context: {} as EndpointContext,
    input: {} as EndpointInput,
    events: {} as EndpointEvent,
  },
  actions: {
    /** Placeholder: the runtime runs effects after their entry is durable. */
    effect: (_, _request: EndpointEffect) => undefined,
    change: assign(({ context, event }) => changedBy(context, event)),
    update: assign(({ event }) => (event.type === 'update' ? event.patch : {})),
    unverify: assign({ verifiedAtMs: null, statusReason: 'url_changed' as const, reason: null }),
    notePing: assign(({ context, event }) => ({
      pings: [...recentPings(context.pings, event.at), event.at],
    })),
    /**
     * Changes the context, because an event that changes nothing has no entry and so no effects.
     */
    noteResend: assign(({ context }) => ({ resends: context.resends + 1 })),
    verify: assign(({ event, context }) => ({
      verifiedAtMs: event.at,
      lastSuccessAtMs: event.at,
      failingSinceMs: null,
      statusReason: null,
      reason: null,
      deadlines: withoutDeadline(context.deadlines, 'give_up'),
    })),
    disable: assign(({ context, event }, statusReason: EndpointReason) => ({
      statusReason,
      reason: 'reason' in event ? event.reason : null,
      deadlines: withoutDeadline(context.deadlines, 'give_up'),
    })),
    await: assign({ statusReason: null, reason: null, failingSinceMs: null }),
    rotate: assign(({ context, event }) => {
      if (event.type !== 'rotate') return {}
      const [newest] = context.secrets
      const expiresAtMs = event.at + event.graceMs
      const old = newest && event.graceMs > 0 ? [{ ...newest, expiresAtMs }] : []
      return {
        secrets: [event.secret, ...old],
        deadlines: {
          ...withoutDeadline(context.deadlines, 'retire_secret'),
          ...(old.length > 0 && { retire_secret: expiresAtMs }),
        },
      }
    }),
    retire: assign(({ context }) => ({
      secrets: context.secrets.slice(0, 1),
      deadlines: withoutDeadline(context.deadlines, 'retire_secret'),
    })),
    /** The version stays, because the secret and its signatures are the same. */
    reseal: assign(({ context, event }) => {
      if (event.type !== 'resealed') return {}
      const secrets = context.secrets.map((secret) => {
        const next = event.secrets.find(({ id, was }) => id === secret.id && was === secret.sealed)
        return next ? { ...secret, sealed: next.sealed } : secret
      })
      return { secrets }
    }),
    succeed: assign(({ context, event }) => {
      if (event.type !== 'delivery_succeeded') return {}
      return {
        lastSuccessAtMs: Math.min(event.atMs, event.at),
        failingSinceMs: null,
        deadlines: withoutDeadline(context.deadlines, 'give_up'),
      }
    }),
    fail: assign(({ context, event }) => {
      if (event.type !== 'delivery_failed') return {}
      const failingSinceMs = Math.min(event.atMs, event.at)
      const give_up = failingSinceMs + limits.failingMs
      return { failingSinceMs, deadlines: { ...context.deadlines, give_up } }
    }),
    end: assign(({ event }) => ({ endedAtMs: event.at, secrets: [], deadlines: {} })),
  },
  guards: {
    changesUrl: ({ context, event }) =>
      event.type === 'update' && event.patch.url !== undefined && event.patch.url !== context.url,
    changes: ({ context, event }) =>
      event.type === 'update' && !isDeepStrictEqual({ ...context, ...event.patch }, context),
    isOfUrl: ({ context, event }) => event.type === 'verified' && event.url === context.url,
    isNewSecret: ({ context, event }) =>
      event.type === 'rotate' && !context.secrets.some(({ id }) => id === event.secret.id),
    isResealed: ({ context, event }) =>
      event.type === 'resealed' &&
      event.secrets.some(({ id, was }) =>
        context.secrets.some((secret) => secret.id === id && secret.sealed === was),
      ),
    isNewFailure: ({ context, event }) =>
      event.type === 'delivery_failed' &&
      context.failingSinceMs === null &&
      event.atMs > (context.lastSuccessAtMs ?? 0),
    isNewSuccess: ({ context, event }) =>
      event.type === 'delivery_succeeded' &&
      (context.failingSinceMs !== null ||
        event.atMs >= (context.lastSuccessAtMs ?? 0) + limits.successReportMs),
  },
})

const ping = {
  actions: [
    'notePing',
    {
      type: 'effect',
      params: ({ event }: { readonly event: EndpointEvent }): EndpointEffect => {
        if (event.type !== 'ping') throw new Error('a ping is what is sent')
        const { purpose, deliveryId, eventType, at } = event
        const params = { purpose, deliveryId, eventType, atMs: at }
        return { kind: 'send_ping', retry: 'safe', params }
      },
    },
  ],
} as const

const resends = {
  replay: {
    actions: [
      'noteResend',
      {
        type: 'effect',
        params: ({ event }: { readonly event: EndpointEvent }): EndpointEffect => {
          if (event.type !== 'replay') throw new Error('a replay is what is sent')
          const { sourceId, deliveryId, at: atMs } = event
          return { kind: 'replay', retry: 'safe', params: { sourceId, deliveryId, atMs } }
        },
      },
    ],
  },
  recover: {
    actions: [
      'noteResend',
      {
        type: 'effect',
        params: ({ event }: { readonly event: EndpointEvent }): EndpointEffect => {
          if (event.type !== 'recover') throw new Error('a recovery is what is sent')
          const { sinceMs, untilMs, at: atMs } = event
          return { kind: 'recover', retry: 'safe', params: { sinceMs, untilMs, atMs } }
        },
      },
    ],
  },
} as const

const disableTransition = (reason: EndpointReason) =>
  ({ target: 'disabled', actions: ['change', { type: 'disable', params: reason }] }) as const

const removal = { target: 'removed', actions: ['change', 'end'] } as const
const secrets = {
  rotate: { guard: 'isNewSecret', actions: ['change', 'rotate'] },
  'deadline.retire_secret': { actions: ['change', 'retire'] },
  resealed: { guard: 'isResealed', actions: 'reseal' },
} as const

const live = {
  ...secrets,
  ping,
  remove: removal,
  disable: disableTransition('by_request'),
  gone: disableTransition('gone'),
  grant_ended: disableTransition('grant_ended'),
} as const

export const endpointMachine = endpointSetup.createMachine({
  id: 'endpoint',
  context: ({ input: { by, ifVersion: _, secret, ...given } }) => ({
    ...given,
    ...newState({ ...given, by }),
    id: given.id,
    tenant: given.tenant,
    secrets: [secret],
    statusReason: null,
    reason: null,
    verifiedAtMs: null,
    lastSuccessAtMs: null,
    failingSinceMs: null,
    pings: [],
    resends: 0,
    endedAtMs: null,
    deadlines: {},
  }),
  initial: 'pending',
  states: {
    pending: {
      on: {
        ...live,
        update: { guard: 'changes', actions: ['change', 'update'] },
        verified: { target: 'active', guard: 'isOfUrl', actions: ['change', 'verify'] },
      },
    },
    active: {
      on: {
        ...live,
        ...resends,
        update: [
          { target: 'pending', guard: 'changesUrl', actions: ['change', 'update', 'unverify'] },
          { guard: 'changes', actions: ['change', 'update'] },
        ],
        delivery_succeeded: { guard: 'isNewSuccess', actions: 'succeed' },
        delivery_failed: { guard: 'isNewFailure', actions: 'fail' },
        'deadline.give_up': disableTransition('failing'),
      },
    },
    disabled: {
      on: {
        ...secrets,
        update: { guard: 'changes', actions: ['change', 'update'] },
        enable: { target: 'pending', actions: ['change', 'await'] },
        grant_ended: { actions: ['change', { type: 'disable', params: 'grant_ended' }] },
        remove: removal,
      },
    },
    removed: {},
  },
})
