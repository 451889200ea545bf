/**
 * A change of the managed backlog: its terms, its reviews, its window and its outcome. Only
 * completed changes write technical areas and custom access.
 */
import { z } from 'zod'
import { actorProtocol, commandVerb, queryVerb } from '../../actor.ts'
import type { Author, ByAuthor } from '../author.ts'
import { reasonText, timeText, type AccessView, type EntityReply } from '../common.ts'
import {
  checkWindow,
  type changeTermsJson,
  type ChangeTerms,
  type ChangeWindow,
} from './change-terms.ts'
import type { ChangeId, ClientId, PersonId } from '../ids.ts'
import { accessLimits as limits } from '../limits.ts'
import type { FrozenPolicy, GivenReview, Review } from '../grants/review.ts'
import type { Staffing } from '../grants/staffing.ts'

/**
 * `checking`: its need and target are being read. `reviewed`: some, but not all, required reviews
 * are given. `booking`: its window is checked against other windows on the same target. `applying`:
 * its work is being written.
 */
export const changeStatuses = [
  'draft',
  'checking',
  'proposed',
  'reviewed',
  'returned',
  'rejected',
  'approved',
  'booking',
  'scheduled',
  'in_progress',
  'applying',
  'done',
  'failed',
  'rolled_back',
  'cancelled',
] as const
export type ChangeStatus = (typeof changeStatuses)[number]

const evidenceText = z.string().trim().min(1).max(limits.reasonChars)

export const scheduleBody = z
  .strictObject({ window: z.strictObject({ start: timeText, end: timeText }).optional() })
  .superRefine(({ window }, context) => {
    if (!window) return
    checkWindow(window, (path, message) => {
      context.addIssue({ code: 'custom', path: [...path], message, input: window })
    })
  })
export const completeBody = z.strictObject({
  evidence: z
    .array(evidenceText)
    .min(1)
    .max(limits.changeEvidence)
    .describe('Evidence that the change was carried out: addresses, or what was observed.'),
  notes: z.string().trim().max(limits.textChars).default(''),
})
export const changeReason = z.strictObject({ reason: reasonText })

/**
 * What a reviewer sees and signs, as REST has it. The change's digest is the digest of this
 * document.
 */
export interface ChangeDocument {
  readonly client: { readonly id: string; readonly name: string }
  readonly need: { readonly id: string; readonly title: string; readonly purpose: string }
  readonly proposed_by: { readonly kind: Author['kind']; readonly id: string }
  readonly change: ReturnType<typeof changeTermsJson>
  /** For a standard change: the template that pre-approves it. */
  readonly template?: { readonly id: string; readonly title: string; readonly approval: string }
  readonly rules: FrozenPolicy['rules']
  readonly slots: readonly { readonly role: string; readonly count: number }[]
}

/** The target when the change was proposed, with a digest of each field's value. */
export interface SeenTarget {
  readonly version: number
  readonly fields: Readonly<Record<string, string>>
}

/** The target had changed between the proposal and the write. */
export interface ChangeConflict {
  /** The version found at the write. */
  readonly version: number
  /** Names of the fields that differ from those seen at the proposal. */
  readonly fields: readonly string[]
  readonly atMs: number
}

export interface ChangeResult {
  readonly by: Author
  readonly evidence: readonly string[]
  readonly notes: string
  readonly atMs: number
}

/** What the change wrote. */
export interface AppliedChange {
  readonly id: string
  readonly version: number
}

/** One state in the history of the change. `by`: an id, or `system:…`. */
export interface ChangeStep {
  readonly status: ChangeStatus
  readonly atMs: number
  readonly by: string
}

export interface ChangeInput extends ByAuthor {
  readonly id: ChangeId
  readonly tenant: ClientId
  readonly createdAtMs: number
  readonly terms: ChangeTerms
}

export interface ChangeView extends AccessView {
  readonly id: ChangeId
  readonly tenant: ClientId
  readonly status: ChangeStatus
  readonly terms: ChangeTerms
  readonly proposedBy: Author
  /** Set once the change is proposed. */
  readonly shown: ChangeDocument | null
  /** Digest of `shown`; a review must name it. */
  readonly digest: string | null
  readonly policy: FrozenPolicy | null
  readonly reviews: readonly Review[]
  /** The booked window. */
  readonly window: ChangeWindow | null
  readonly implementer: { readonly id: string; readonly atMs: number } | null
  /** When work last started; kept when the change fails. Absent in older views. */
  readonly startedAtMs?: number
  /** In progress although its window is over. */
  readonly isLate: boolean
  readonly result: ChangeResult | null
  readonly applied: AppliedChange | null
  readonly conflict: ChangeConflict | null
  /** For a completed emergency change: when its post-review is due, and whether it was given. */
  readonly postReview: {
    readonly byMs: number
    readonly status: 'due' | 'done' | 'missed'
    readonly reviewerId?: PersonId
    readonly selfReviewed?: true
  } | null
  /** The states it went through, the newest last. */
  readonly history: readonly ChangeStep[]
  /** Why it was returned, refused, failed or cancelled. */
  readonly message: string | null
}

type Reasoned = ByAuthor & { readonly reason: string }
type Answer = EntityReply<ChangeView>

export const changeActor = actorProtocol<ChangeInput, ChangeView>()('change', {
  created: queryVerb<Answer>(),
  get: queryVerb<Answer>(),
  revise: commandVerb<Answer, ByAuthor & { readonly terms: ChangeTerms }>(),
  /**
   * With `untilSettled`, the reply says `proposed`, or why the change was returned. `staffing`:
   * absent if separation is strict.
   */
  propose: commandVerb<Answer, ByAuthor & { readonly staffing?: Staffing }>(),
  review: commandVerb<Answer, ByAuthor & GivenReview>(),
  /**
   * Without `window`, the window of the terms is used. With `untilSettled`, the reply says
   * `scheduled`, or why not.
   */
  schedule: commandVerb<Answer, ByAuthor & { readonly window?: ChangeWindow }>(),
  start: commandVerb<Answer, ByAuthor>(),
  /** With `untilSettled`, the reply comes once the work is written or a conflict is found. */
  complete: commandVerb<
    Answer,
    ByAuthor & { readonly evidence: readonly string[]; readonly notes: string }
  >(),
  fail: commandVerb<Answer, Reasoned>(),
  roll_back: commandVerb<Answer, Reasoned>(),
  cancel: commandVerb<Answer, Reasoned>(),
  post_review: commandVerb<Answer, Reasoned>(),
})
