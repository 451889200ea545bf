/** An access request, which is decided by reviews. */
import { defined } from '../../defined.ts'
import { z } from 'zod'
import { actorProtocol, commandVerb, queryVerb } from '../../actor.ts'
import type { Author, ByAuthor } from '../author.ts'
import { timeText, type AccessView, type EntityReply } from '../common.ts'
import type { GrantSubject } from './grant.ts'
import {
  accessId,
  type ClientId,
  type GrantId,
  type NeedId,
  type RequestId,
  type ScopeId,
} from '../ids.ts'
import { accessLimits as limits } from '../limits.ts'
import { permissionsSchema, type Condition, type Permission } from '../permissions.ts'
import type { FrozenPolicy, GivenReview, Review } from './review.ts'
import type { Staffing } from './staffing.ts'
import { accessPaths, type AccessPath } from '../engagement/scope.ts'

/** `checking`: its need and scope are being checked. `approved`: its grant is being created. */
export const requestStatuses = [
  'draft',
  'checking',
  'pending',
  'returned',
  'approved',
  'fulfilled',
  'denied',
  'withdrawn',
  'expired',
  'lapsed',
] as const
export type RequestStatus = (typeof requestStatuses)[number]

const termsShape = {
  scope_id: accessId('scope'),
  need_id: accessId('need'),
  path: z
    .enum(accessPaths)
    .default('api')
    .describe(
      'How it will be used, and by what alone it can be used: `api` by tokens, `custom` by tokens ' +
        'that read views, `portal` on pages, `reports` by people who read and make reports, ' +
        '`webhooks` by endpoints.',
    ),
  subject: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('person'), id: accessId('person') }),
    z.strictObject({
      kind: z.literal('integration'),
      id: z
        .string()
        .regex(
          /^[a-z0-9][a-z0-9-]{0,62}$/,
          'must be lower-case letters, digits and hyphens, 63 at most',
        ),
    }),
  ]),
  permissions: permissionsSchema,
  cidrs: z
    .array(z.union([z.cidrv4(), z.cidrv6()]))
    .max(limits.cidrsPerGrant)
    .default([]),
  starts_at: timeText.optional(),
  ends_at: timeText,
  justification: z.string().trim().min(limits.purposeCharsLeast).max(limits.reasonChars),
  emergency: z
    .boolean()
    .default(false)
    .describe(
      'Emergency access: approved by one reviewer, for at most 4 hours, and reviewed afterwards.',
    ),
  renews_grant_id: accessId('grant').optional(),
}
export const requestBody = z.strictObject({
  client_id: accessId('client')
    .optional()
    .describe(
      'Required for staff. Members can leave it out: they request access to their own client.',
    ),
  ...termsShape,
})
export const requestTerms = z.strictObject(termsShape)

export interface RequestTerms {
  readonly scopeId: ScopeId
  readonly needId: NeedId
  readonly path: AccessPath
  readonly subject: GrantSubject
  readonly permissions: readonly Permission[]
  readonly cidrs: readonly string[]
  readonly startsAtMs?: number
  readonly endsAtMs: number
  readonly justification: string
  readonly emergency: boolean
  readonly renewsGrantId?: GrantId
}

export const requestTermsOf = (body: z.output<typeof requestTerms>): RequestTerms => ({
  scopeId: body.scope_id,
  needId: body.need_id,
  path: body.path,
  subject: body.subject,
  permissions: body.permissions,
  cidrs: body.cidrs,
  ...defined({ startsAtMs: body.starts_at }),
  endsAtMs: body.ends_at,
  justification: body.justification,
  emergency: body.emergency,
  ...(body.renews_grant_id && { renewsGrantId: body.renews_grant_id }),
})

/** A request that is not decided by then expires. */
export interface RequestPolicy extends FrozenPolicy {
  readonly expiresAtMs: number
}

/** A custom view as reviewers of a request see it. */
export interface ShownView {
  readonly slug: string
  readonly title: string
  readonly source_area: string
  readonly fields: readonly string[]
  readonly where: readonly Condition[]
  /** The last change that wrote it. */
  readonly change_id: string
}

/** What a reviewer sees and signs; the request's digest is the digest of this. */
export interface ReviewedFacts {
  readonly client: { readonly id: ClientId; readonly name: string }
  readonly scope: { readonly id: ScopeId; readonly name: string; readonly version: number }
  readonly need: { readonly id: NeedId; readonly title: string; readonly purpose: string }
  readonly subject: GrantSubject & { readonly name: string }
  readonly requestedBy: { readonly kind: Author['kind']; readonly id: string }
  /** The requested custom views and the changes that created them; absent if there are none. */
  readonly custom?: readonly ShownView[]
  readonly terms: RequestTerms
  readonly rules: FrozenPolicy['rules']
  readonly slots: FrozenPolicy['slots']
}

export interface RequestInput extends ByAuthor {
  readonly id: RequestId
  readonly tenant: ClientId
  readonly createdAtMs: number
  readonly terms: RequestTerms
}

export interface RequestView extends AccessView {
  readonly id: RequestId
  readonly tenant: ClientId
  readonly status: RequestStatus
  readonly terms: RequestTerms
  readonly requestedBy: Author
  /** Set once the request is submitted. */
  readonly shown: ReviewedFacts | null
  /** Digest of `shown`; a review must name it. */
  readonly digest: string | null
  readonly policy: RequestPolicy | null
  readonly reviews: readonly Review[]
  /** Why it was returned, refused or expired. */
  readonly message?: string
  readonly grantId?: GrantId
}

/** The requester and the subject, who must not decide on it. */
export const requestPartiesOf = ({
  requestedBy,
  terms: { subject },
}: Pick<RequestView, 'requestedBy' | 'terms'>): readonly string[] => [
  requestedBy.id,
  ...(subject.kind === 'person' ? [subject.id] : []),
]

export const requestActor = actorProtocol<RequestInput, RequestView>()('request', {
  created: queryVerb<EntityReply<RequestView>>(),
  get: queryVerb<EntityReply<RequestView>>(),
  revise: commandVerb<EntityReply<RequestView>, ByAuthor & { readonly terms: RequestTerms }>(),
  /**
   * With `untilSettled`, the reply says `pending`, or why the request was returned. `staffing`:
   * absent if separation is strict.
   */
  submit: commandVerb<EntityReply<RequestView>, ByAuthor & { readonly staffing?: Staffing }>(),
  review: commandVerb<EntityReply<RequestView>, ByAuthor & GivenReview>(),
  withdraw: commandVerb<EntityReply<RequestView>, ByAuthor>(),
})
