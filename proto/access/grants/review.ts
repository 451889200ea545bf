/** Reviews of an access request or a change, and who must give them. */
import { z } from 'zod'
import { digestText, reasonText } from '../common.ts'
import type { PersonId } from '../ids.ts'

/** A kind of reviewer whose approval is required. */
export const slotRoles = ['staff_reviewer', 'change_manager', 'client_owner'] as const
export type SlotRole = (typeof slotRoles)[number]

/**
 * The required approvals, frozen when it was submitted: a later change of the rules does not relax
 * them.
 */
export interface FrozenPolicy {
  /** Names of the rules that matched; the README of the reviewed entity lists them. */
  readonly rules: readonly string[]
  readonly slots: readonly { readonly role: SlotRole; readonly count: number }[]
}

export const reviewBody = z.strictObject({
  decision: z.enum(['approve', 'deny', 'request_changes']),
  reason: reasonText,
  digest: digestText,
})

/** Reviews are never changed and never removed. */
export interface Review {
  readonly id: string
  readonly reviewerId: PersonId
  readonly slot: SlotRole
  readonly decision: 'approve' | 'deny' | 'request_changes'
  readonly reason: string
  readonly digest: string
  readonly atMs: number
  readonly selfReviewed?: true
  /** Given for an earlier version of what was reviewed, so it does not count. */
  readonly isVoid?: true
}

/** Fields of a command that gives a review. */
export interface GivenReview {
  readonly reviewId: string
  readonly decision: Review['decision']
  readonly reason: string
  readonly digest: string
}
