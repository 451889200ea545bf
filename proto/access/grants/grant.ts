/**
 * A grant: access that was requested and reviewed, with the tokens that use it. A grant is never
 * extended.
 */
import { z } from 'zod'
import { actorProtocol, commandVerb, endVerb, queryVerb } from '../../actor.ts'
import type { Author, ByAuthor } from '../author.ts'
import { nameText, timeText, type AccessView, type EntityReply } from '../common.ts'
import type { ClientId, GrantId, NeedId, PersonId, RequestId, ScopeId, TokenId } from '../ids.ts'
import { accessLimits as limits } from '../limits.ts'
import type { Permission } from '../permissions.ts'
import type { AccessPath } from '../engagement/scope.ts'

/** `confirming`: its need, scope and client are being checked again; tokens do not work yet. */
export const grantStatuses = [
  'confirming',
  'scheduled',
  'active',
  'suspended',
  'revoked',
  'ended',
] as const
export type GrantStatus = (typeof grantStatuses)[number]

const grantEnds = [
  'ends_at',
  'need_closed',
  'scope_retired',
  'subject_removed',
  'client_closed',
  'post_review_missed',
  'never_held',
] as const
export type GrantEnd = (typeof grantEnds)[number]

/** The person or integration that gets the access. */
export interface GrantSubject {
  readonly kind: 'person' | 'integration'
  /** A person's id, or the name of an integration. */
  readonly id: string
}

export const tokenBody = z.strictObject({
  name: nameText.describe('What the token is for.'),
  scopes: z
    .array(z.string().max(limits.nameChars))
    .min(1)
    .max(limits.areasPerScope * 5)
    .optional()
    .describe('Scopes as `<area>:<action>`, within the grant. If absent, all scopes of the grant.'),
  expires_at: timeText
    .optional()
    .describe(
      'At most 90 days from now and not after the end of the grant; if absent, as late as allowed.',
    ),
})
export const rotationBody = z.strictObject({
  overlap_seconds: z
    .number()
    .int()
    .min(0)
    .max(limits.rotationOverlapMs / 1000)
    .default(0)
    .describe('How long the old token stays valid, in seconds.'),
})

export interface TokenView {
  readonly id: TokenId
  readonly name: string
  /** The token's prefix and its last four characters. */
  readonly hint: string
  /** SHA-256 in hex; the token's text is not stored. */
  readonly hash: string
  readonly scopes: readonly string[]
  readonly createdAtMs: number
  readonly createdBy: string
  readonly expiresAtMs: number
  readonly revokedAtMs?: number
  readonly revokedReason?: string
  readonly lastUsedAtMs?: number
}

export interface GrantTerms {
  readonly requestId: RequestId
  readonly scopeId: ScopeId
  readonly needId: NeedId
  readonly subject: GrantSubject
  readonly path: AccessPath
  readonly permissions: readonly Permission[]
  readonly cidrs: readonly string[]
  readonly startsAtMs: number
  readonly endsAtMs: number
  readonly emergency: boolean
}

/** A person who approved it. */
export interface GrantApprover {
  readonly id: PersonId
  readonly slot: string
  readonly atMs: number
}

export interface GrantInput extends ByAuthor, GrantTerms {
  readonly id: GrantId
  readonly tenant: ClientId
  readonly createdAtMs: number
  readonly requestedBy: Author
  readonly approvers: readonly GrantApprover[]
}

export interface GrantView extends AccessView, GrantTerms {
  readonly id: GrantId
  readonly tenant: ClientId
  readonly status: GrantStatus
  readonly requestedBy: Author
  readonly approvers: readonly GrantApprover[]
  readonly endedAt?: number
  readonly endReason?: GrantEnd | 'revoked'
  readonly reason?: string
  /** Of a suspended grant; absent if it was suspended before this was stored. */
  readonly suspendedBy?: Pick<Author, 'kind' | 'id'>
  /** For emergency access: when its post-review is due, and whether it was given. */
  readonly postReview?: {
    readonly byMs: number
    readonly status: 'due' | 'done' | 'missed'
    readonly reviewerId?: PersonId
    /** The two-person rule was overridden: the reviewer was a party to the request. */
    readonly selfReviewed?: true
  }
  readonly tokens: readonly TokenView[]
  readonly lastUsedAtMs?: number
}

type Reasoned = ByAuthor & { readonly reason: string }

export const grantActor = actorProtocol<GrantInput, GrantView>()('grant', {
  created: queryVerb<EntityReply<GrantView>>(),
  get: queryVerb<EntityReply<GrantView>>(),
  suspend: endVerb<EntityReply<GrantView>, Reasoned>(),
  /** By those whom `suspension.ts` allows to. */
  resume: commandVerb<EntityReply<GrantView>, Reasoned>(),
  revoke: endVerb<EntityReply<GrantView>, Reasoned>(),
  post_review: commandVerb<EntityReply<GrantView>, Reasoned>(),
  /** Sent by an entity that the grant depends on. */
  end: endVerb<EntityReply<GrantView>, { readonly by: Author; readonly end: GrantEnd }>(),
  mint: commandVerb<
    EntityReply<GrantView>,
    ByAuthor & {
      readonly tokenId: TokenId
      readonly name: string
      readonly hint: string
      readonly hash: string
      /** Absent: all scopes of the grant. */
      readonly scopes?: readonly string[]
      /** Absent: the latest time allowed. */
      readonly expiresAtMs?: number
    }
  >(),
  rotate: commandVerb<
    EntityReply<GrantView>,
    ByAuthor & {
      readonly tokenId: TokenId
      readonly newTokenId: TokenId
      readonly hint: string
      readonly hash: string
      readonly overlapMs: number
    }
  >(),
  revoke_token: endVerb<EntityReply<GrantView>, Reasoned & { readonly tokenId: TokenId }>(),
  /**
   * Sent where it is used, at most once a minute for each token. Without `tokenId`: by a person in
   * the portal, or by a webhook.
   */
  used: commandVerb<
    EntityReply<GrantView>,
    { readonly tokenId?: TokenId; readonly atMs: number }
  >(),
})
