/**
 * A service scope: what is contracted for a client. It limits every grant, with its terms at the
 * time of each request.
 */
import { z } from 'zod'
import { actorProtocol, commandVerb, queryVerb } from '../../actor.ts'
import type { ByAuthor } from '../author.ts'
import {
  longText,
  nameText,
  timeText,
  type AccessView,
  type Citation,
  type EntityReply,
  type SecondSignature,
} from '../common.ts'
import { isCustomArea, type PermittedArea } from '../areas/areas.ts'
import { accessId, type ClientId, type ScopeId } from '../ids.ts'
import { accessLimits as limits } from '../limits.ts'
import { permissionsSchema, type Permission } from '../permissions.ts'

export const accessPaths = ['portal', 'reports', 'webhooks', 'custom', 'api'] as const
export type AccessPath = (typeof accessPaths)[number]

interface PathUse {
  /** Programs use it, with tokens. */
  readonly tokens: boolean
  /** People read and make reports with it, signed in. */
  readonly reports: boolean
}
/**
 * What a grant for each path can be used for: the path is part of what its reviewers approved.
 * Records on the portal's pages need `portal`, endpoints need `webhooks`.
 */
export const pathUses: Readonly<Record<AccessPath, PathUse>> = {
  portal: { tokens: false, reports: true },
  reports: { tokens: false, reports: true },
  webhooks: { tokens: false, reports: false },
  custom: { tokens: true, reports: false },
  api: { tokens: true, reports: true },
}

/**
 * `reports` opens reports alone, and `custom` views alone, whatever else the grant includes: the
 * other areas of a `reports` grant say which reports it shows.
 */
export function isOpenThrough(path: AccessPath, area: PermittedArea): boolean {
  if (path === 'reports') return area === 'reports'
  return path !== 'custom' || isCustomArea(area)
}

export const scopeStatuses = ['draft', 'proposed', 'active', 'retired'] as const
export type ScopeStatus = (typeof scopeStatuses)[number]

const termsShape = {
  name: nameText,
  summary: longText.default(''),
  engagement_ref: z.string().max(limits.referenceChars).default(''),
  paths: z.array(z.enum(accessPaths)).min(1),
  areas: permissionsSchema,
  effective_from: timeText,
  effective_to: timeText,
}
const isInOrder = (terms: { effective_from: number; effective_to: number }) =>
  terms.effective_from < terms.effective_to
const order = { message: 'must be after effective_from', path: ['effective_to'] }

export const scopeTerms = z.strictObject(termsShape).refine(isInOrder, order)
export const scopeBody = z
  .strictObject({ client_id: accessId('client'), ...termsShape })
  .refine(isInOrder, order)

/** The contracted terms. Times are wall-clock ms. */
export interface ScopeTerms {
  readonly name: string
  readonly summary: string
  readonly engagementRef: string
  readonly paths: readonly AccessPath[]
  readonly areas: readonly Permission[]
  readonly effectiveFromMs: number
  readonly effectiveToMs: number
}

export const scopeTermsOf = (body: z.output<typeof scopeTerms>): ScopeTerms => ({
  name: body.name,
  summary: body.summary,
  engagementRef: body.engagement_ref,
  paths: body.paths,
  areas: body.areas,
  effectiveFromMs: body.effective_from,
  effectiveToMs: body.effective_to,
})

export interface ScopeInput extends ByAuthor {
  readonly id: ScopeId
  readonly tenant: ClientId
  readonly createdAtMs: number
  readonly terms: ScopeTerms
}

export interface ScopeConfirmation extends SecondSignature {
  readonly digest: string
}

export interface ScopeView extends AccessView {
  readonly id: ScopeId
  readonly tenant: ClientId
  readonly status: ScopeStatus
  /** The terms in force; null until the first confirmation. */
  readonly current: ScopeTerms | null
  /**
   * A draft, or terms that wait for a second admin. Meanwhile a scope in force keeps its current
   * terms.
   */
  readonly proposal: ScopeTerms | null
  /** Who wrote and submitted the proposal; another admin confirms it. */
  readonly proposedBy?: readonly string[]
  /** Number of proposals so far; the digest covers it. */
  readonly proposalNumber: number
  /** Digest of a waiting proposal; a confirmation must name it. */
  readonly digest: string | null
  /** Why the last proposal was returned, or the scope retired. */
  readonly reason?: string
  /** The last confirmations. */
  readonly confirmations: readonly ScopeConfirmation[]
}

export const scopeActor = actorProtocol<ScopeInput, ScopeView>()('scope', {
  created: queryVerb<EntityReply<ScopeView>>(),
  get: queryVerb<EntityReply<ScopeView>>(),
  /**
   * New terms. For a scope in force, narrower terms apply at once; others become a proposal that
   * waits for a second admin.
   */
  revise: commandVerb<EntityReply<ScopeView>, ByAuthor & { readonly terms: ScopeTerms }>(),
  submit: commandVerb<EntityReply<ScopeView>, ByAuthor>(),
  /**
   * By another admin than the one who wrote or submitted it, naming the digest of what was shown.
   * With `untilSettled`, the reply comes once the client knows.
   */
  confirm: commandVerb<EntityReply<ScopeView>, ByAuthor & { readonly digest: string }>(),
  /** Returns the proposal to its author. */
  return: commandVerb<EntityReply<ScopeView>, ByAuthor & { readonly reason: string }>(),
  /** Ends every grant that cites the scope. */
  retire: commandVerb<EntityReply<ScopeView>, ByAuthor & { readonly reason: string }>(),
  /** Refused unless the scope is active. */
  cite: commandVerb<EntityReply<ScopeView>, Citation>(),
})
