/**
 * A change of the managed backlog: what is to be done, who has reviewed it, when it is done and what
 * came of it. A done change is the only writer of technical areas and of custom access.
 */
import { z } from 'zod'
import { actorProtocol, commandVerb, queryVerb } from '../actor.ts'
import type { Author, ByAuthor } from './author.ts'
import { reasonText, timeText, type AccessView, type Entity } from './common.ts'
import {
  checkWindow,
  type changeTermsJson,
  type ChangeTerms,
  type ChangeWindow,
} from './change-terms.ts'
import type { ChangeId, ClientId, PersonId } from './ids.ts'
import { accessLimits as limits } from './limits.ts'
import type { FrozenPolicy, GivenReview, Review } from './review.ts'

/**
 * `checking`: its need and its target are read. `reviewed`: approved by some, not by all who must.
 * `booking`: its window is held against others on the same target. `applying`: it is being written.
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
    .describe('What shows that it was done: addresses, or what was seen.'),
  notes: z.string().trim().max(limits.textChars).default(''),
})
export const changeReason = z.strictObject({ reason: reasonText })

/** What a reviewer is shown and signs, as REST has it: its digest is the change's. */
export interface ChangeDocument {
  readonly client: { readonly id: string; readonly name: string }
  readonly need: { readonly id: string; readonly title: string; readonly purpose: string }
  readonly proposed_by: { readonly kind: Author['kind']; readonly id: string }
  readonly change: ReturnType<typeof changeTermsJson>
  /** Of a standard change: what has approved it. */
  readonly template?: { readonly id: string; readonly title: string; readonly approval: string }
  readonly rules: FrozenPolicy['rules']
  readonly slots: readonly { readonly role: string; readonly count: number }[]
}

/** The target as it was when the change was proposed: a field's digest is of its value. */
export interface SeenTarget {
  readonly version: number
  readonly fields: Readonly<Record<string, string>>
}

/** The target was another one when the change was to be written. */
export interface ChangeConflict {
  /** The version that was found. */
  readonly version: number
  /** Names of the fields that differ from what was proposed for. */
  readonly fields: readonly string[]
  readonly atMs: number
}

export interface ChangeResult {
  readonly by: Author
  readonly evidence: readonly string[]
  readonly notes: string
  readonly atMs: number
}

/** What the change has written. */
export interface AppliedChange {
  readonly id: string
  readonly version: number
}

/** A state that the change has come to. `by`: an id, or `system:…`. */
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
  /** Present once proposed. */
  readonly shown: ChangeDocument | null
  /** Of `shown`: what a review must name. */
  readonly digest: string | null
  readonly policy: FrozenPolicy | null
  readonly reviews: readonly Review[]
  /** As it is booked. */
  readonly window: ChangeWindow | null
  readonly implementer: { readonly id: string; readonly atMs: number } | null
  /** When it was begun last; it stays when the change has failed. Absent in older views. */
  readonly startedAtMs?: number
  /** In progress, and its window is over. */
  readonly isLate: boolean
  readonly result: ChangeResult | null
  readonly applied: AppliedChange | null
  readonly conflict: ChangeConflict | null
  /** Of a done emergency change: when it must have been looked at, and whether it was. */
  readonly postReview: {
    readonly byMs: number
    readonly status: 'due' | 'done' | 'missed'
    readonly reviewerId?: PersonId
    readonly selfReviewed?: true
  } | null
  /** The states that it has come to, the newest last. */
  readonly history: readonly ChangeStep[]
  /** Why it came back, was refused, failed or was cancelled. */
  readonly message: string | null
}

type Reasoned = ByAuthor & { readonly reason: string }
type Answer = Entity<ChangeView>

export const changeActor = actorProtocol<ChangeInput, ChangeView>()('change', {
  created: queryVerb<Answer>(),
  get: queryVerb<Answer>(),
  revise: commandVerb<Answer, ByAuthor & { readonly terms: ChangeTerms }>(),
  /** Asked `untilSettled`, it answers `proposed`, or why it came back. */
  propose: commandVerb<Answer, ByAuthor>(),
  review: commandVerb<Answer, ByAuthor & GivenReview>(),
  /** Absent: in the window of the terms. Asked `untilSettled`, it answers `scheduled`, or why not. */
  schedule: commandVerb<Answer, ByAuthor & { readonly window?: ChangeWindow }>(),
  start: commandVerb<Answer, ByAuthor>(),
  /** Asked `untilSettled`, it answers once what it writes is written, or is in conflict. */
  complete: commandVerb<
    Answer,
    ByAuthor & { readonly evidence: readonly string[]; readonly notes: string }
  >(),
  fail: commandVerb<Answer, Reasoned>(),
  roll_back: commandVerb<Answer, Reasoned>(),
  cancel: commandVerb<Answer, Reasoned>(),
  post_review: commandVerb<Answer, Reasoned>(),
})
