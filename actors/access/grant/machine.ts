/**
 * A grant, from its creation to its end. It is never extended. Pure: times come from the event's
 * `at`, and side effects are requested as `effect`. Deadlines are wall-clock ms in the context.
 */
import { assign, setup } from 'xstate'
import type { ActorCommand } from '../../../proto/actor.ts'
import type { Author } from '../../../proto/access/author.ts'
import type { AccessState } from '../../../proto/access/common.ts'
import type {
  grantActor,
  GrantEnd,
  GrantInput,
  GrantView,
  TokenView,
} from '../../../proto/access/grants/grant.ts'
import { isAccessId, type ClientId, type GrantId } from '../../../proto/access/ids.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type {
  ActorContext,
  EffectRequestOf,
  RuntimeEvent,
  Timestamped,
} from '../../../runtime/actor/actor-kind.ts'
import { changedBy, newState } from '../common/state.ts'
import { participatedInGrant } from './parties.ts'
import { isNewUse, withMintedToken, withRevokedToken, withRotatedToken } from './tokens.ts'

type Given = Omit<GrantInput, 'by' | 'ifVersion'>

export interface GrantContext extends AccessState, ActorContext, Given {
  readonly id: GrantId
  readonly tenant: ClientId
  readonly tokens: readonly TokenView[]
  readonly postReview: NonNullable<GrantView['postReview']> | null
  readonly endedAt: number | null
  readonly endReason: GrantEnd | 'revoked' | null
  readonly reason: string | null
  /** While it is suspended; contexts of earlier versions do not have it. */
  readonly suspendedBy?: Pick<Author, 'kind' | 'id'> | null
  readonly lastUsedAtMs: number | null
}

export type GrantEvent = Timestamped<
  | ActorCommand<typeof grantActor>
  /** Everything it depends on is in force, and will notify the grant when it ends. */
  | { readonly type: 'confirmed' }
  | RuntimeEvent
>

/** The effects of a grant: name → parameters. */
export type GrantEffects = {
  /** No parameters: the effect reads the grant's state. */
  readonly confirm: Readonly<Record<never, never>>
}
type GrantEffect = EffectRequestOf<GrantEffects>

const confirmEffect = {
  type: 'effect',
  params: { kind: 'confirm', retry: 'safe', params: {} },
} as const

/** A grant that was never open needs no post-review; one that is due stays due after the end. */
const onlyPostReview = ({
  postReview,
}: Pick<GrantContext, 'postReview'>): GrantContext['deadlines'] =>
  postReview?.status === 'due' ? { postReview: postReview.byMs } : {}

/** A week before the end; for a short grant, when a tenth of its life is left. */
const expiringAt = (endsAtMs: number, openedAtMs: number): number =>
  endsAtMs - Math.min(limits.expiringMs, Math.floor((endsAtMs - openedAtMs) / 10))

const grantSetup = setup({
  types: {
    context: {} as GrantContext,
    input: {} as GrantInput,
    events: {} as GrantEvent,
  },
  actions: {
    /** Placeholder: the runtime runs effects after their entry is durable. */
    effect: (_, _request: GrantEffect) => undefined,
    change: assign(({ context, event }) => changedBy(context, event)),
    schedule: assign(({ context }) => ({
      deadlines: { starts: context.startsAtMs, ends: context.endsAtMs },
    })),
    open: assign(({ context, event }): Partial<GrantContext> => {
      const { endsAtMs: ends } = context
      const deadlines = { ends, expiring: expiringAt(ends, event.at) }
      if (!context.emergency) return { deadlines }
      const byMs = event.at + limits.postReviewMs
      const postReview = { byMs, status: 'due' as const }
      return { postReview, deadlines: { ...deadlines, postReview: byMs } }
    }),
    /** The grant itself does not change; this only warns the requesters. */
    warn: assign(({ context: { deadlines } }) => {
      const { expiring: _, ...others } = deadlines
      return { deadlines: others }
    }),
    explain: assign(({ event }) => {
      if ('reason' in event) return { reason: event.reason }
      return event.type === 'effect.failed' ? { reason: event.error.message } : {}
    }),
    suspend: assign(({ event }): Partial<GrantContext> => {
      if (event.type !== 'suspend') return {}
      const { kind, id } = event.by
      return { suspendedBy: { kind, id } }
    }),
    resume: assign({ suspendedBy: null }),
    finish: assign(({ context, event }, endReason: GrantEnd | 'revoked') => ({
      endedAt: event.at,
      endReason,
      deadlines: onlyPostReview(context),
    })),
    reviewed: assign(({ context, event }) => {
      const { postReview, deadlines } = context
      if (event.type !== 'post_review' || !postReview) return {}
      const { postReview: _, ...others } = deadlines
      const reviewerId = isAccessId('person', event.by.id) ? event.by.id : undefined
      const done = { ...postReview, status: 'done' as const, ...(reviewerId && { reviewerId }) }
      const marked = participatedInGrant(context, event.by) && ({ selfReviewed: true } as const)
      return { postReview: { ...done, ...marked }, deadlines: others }
    }),
    miss: assign(({ context: { postReview, deadlines } }) => {
      const { postReview: _, ...others } = deadlines
      return {
        postReview: postReview && { ...postReview, status: 'missed' as const },
        deadlines: others,
      }
    }),
    mint: assign(({ context, event }) =>
      event.type === 'mint' ? { tokens: withMintedToken(context, event) } : {},
    ),
    rotate: assign(({ context, event }) =>
      event.type === 'rotate' ? { tokens: withRotatedToken(context, event) } : {},
    ),
    revokeToken: assign(({ context, event }) =>
      event.type === 'revoke_token' ? { tokens: withRevokedToken(context, event) } : {},
    ),
    /** The version stays, because the granted access is the same. */
    noteUse: assign(({ context, event }) => {
      if (event.type !== 'used') return {}
      const usedAtMs = Math.min(event.atMs, event.at)
      const tokens = context.tokens.map((token) =>
        token.id === event.tokenId ? { ...token, lastUsedAtMs: usedAtMs } : token,
      )
      // Reports of two tokens may arrive in another order than the uses.
      return { tokens, lastUsedAtMs: Math.max(usedAtMs, context.lastUsedAtMs ?? usedAtMs) }
    }),
  },
  guards: {
    isOver: ({ context, event }) => event.at >= context.endsAtMs,
    isEarly: ({ context, event }) => event.at < context.startsAtMs,
    isConfirm: ({ event }) => event.type === 'effect.failed' && event.kind === 'confirm',
    isReviewDue: ({ context }) => context.postReview?.status === 'due',
    isNewToken: ({ context, event }) => {
      if (event.type !== 'mint' && event.type !== 'rotate') return false
      const id = event.type === 'mint' ? event.tokenId : event.newTokenId
      return !context.tokens.some((token) => token.id === id)
    },
    isUnrevoked: ({ context, event }) =>
      event.type === 'revoke_token' &&
      context.tokens.some(
        ({ id, revokedAtMs }) => id === event.tokenId && revokedAtMs === undefined,
      ),
    isNewUse: ({ context, event }) => event.type === 'used' && isNewUse(context, event),
  },
})

const endTransition = (reason: GrantEnd) =>
  ({
    target: 'ended',
    actions: ['change', { type: 'finish', params: reason }],
  }) as const

const endings = {
  end: {
    target: 'ended',
    actions: [
      'change',
      {
        type: 'finish',
        params: ({ event }: { event: GrantEvent }): GrantEnd =>
          event.type === 'end' ? event.end : 'never_held',
      },
    ],
  },
  revoke: {
    target: 'revoked',
    actions: ['change', 'explain', { type: 'finish', params: 'revoked' }],
  },
} as const

const suspension = ['change', 'explain', 'suspend'] as const
const opened = { target: 'active', actions: ['change', 'open'] } as const
const revocation = { guard: 'isUnrevoked', actions: ['change', 'revokeToken'] } as const
const use = { guard: 'isNewUse', actions: 'noteUse' } as const
const postReview = { guard: 'isReviewDue', actions: ['change', 'reviewed'] } as const

const tokens = {
  mint: { guard: 'isNewToken', actions: ['change', 'mint'] },
  rotate: { guard: 'isNewToken', actions: ['change', 'rotate'] },
  revoke_token: revocation,
} as const

/** A missed post-review ends an open grant; an ended one is only marked. */
const live = {
  ...endings,
  used: use,
  post_review: postReview,
  'deadline.ends': endTransition('ends_at'),
  'deadline.expiring': { actions: 'warn' },
  'deadline.postReview': {
    target: 'ended',
    guard: 'isReviewDue',
    actions: ['change', 'miss', { type: 'finish', params: 'post_review_missed' }],
  },
} as const

const over = {
  post_review: postReview,
  'deadline.postReview': { guard: 'isReviewDue', actions: ['change', 'miss'] },
} as const

export const grantMachine = grantSetup.createMachine({
  id: 'grant',
  context: ({ input: { by, ifVersion: _, ...given } }) => ({
    ...given,
    ...newState({ ...given, by }),
    id: given.id,
    tenant: given.tenant,
    tokens: [],
    postReview: null,
    endedAt: null,
    endReason: null,
    reason: null,
    lastUsedAtMs: null,
    deadlines: {},
  }),
  initial: 'confirming',
  states: {
    confirming: {
      entry: confirmEffect,
      on: {
        ...endings,
        confirmed: [
          { ...endTransition('ends_at'), guard: 'isOver' },
          { target: 'scheduled', guard: 'isEarly', actions: ['change', 'schedule'] },
          opened,
        ],
        'effect.failed': {
          target: 'ended',
          guard: 'isConfirm',
          actions: ['change', 'explain', { type: 'finish', params: 'never_held' }],
        },
      },
    },
    scheduled: {
      on: {
        ...endings,
        ...tokens,
        'deadline.starts': opened,
        'deadline.ends': endTransition('ends_at'),
      },
    },
    active: {
      on: { ...live, ...tokens, suspend: { target: 'suspended', actions: suspension } },
    },
    suspended: {
      on: {
        ...live,
        revoke_token: revocation,
        suspend: { actions: suspension },
        resume: { target: 'active', actions: ['change', 'explain', 'resume'] },
      },
    },
    revoked: { on: over },
    ended: { on: over },
  },
})
