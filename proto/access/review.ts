/** Reviews, and who must give them: of an access request and of a change. */
import { z } from 'zod'
import { digestText, reasonText } from './common.ts'
import type { PersonId } from './ids.ts'

/** A kind of reviewer that must approve. */
export const slotRoles = ['staff_reviewer', 'change_manager', 'client_owner'] as const
export type SlotRole = (typeof slotRoles)[number]

/** Who must approve, as it was when it was asked for; a rule that changes later eases nothing. */
export interface FrozenPolicy {
  /** The rules that matched, by name: see the README of what is reviewed. */
  readonly rules: readonly string[]
  readonly slots: readonly { readonly role: SlotRole; readonly count: number }[]
}

export const reviewBody = z.strictObject({
  decision: z.enum(['approve', 'deny', 'request_changes']),
  reason: reasonText,
  digest: digestText,
})

/** Never changed, never removed. */
export interface Review {
  readonly id: string
  readonly reviewerId: PersonId
  readonly slot: SlotRole
  readonly decision: 'approve' | 'deny' | 'request_changes'
  readonly reason: string
  readonly digest: string
  readonly atMs: number
  readonly selfReviewed?: true
  /** Of an earlier form of what was reviewed: it counts no more. */
  readonly isVoid?: true
}

/** What a command that gives a review carries. */
export interface GivenReview {
  readonly reviewId: string
  readonly decision: Review['decision']
  readonly reason: string
  readonly digest: string
}
