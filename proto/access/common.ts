/** Types that several entities of Surface A share. */
import { z } from 'zod'
import type { ActorView } from '../actor.ts'
import type { Author } from './author.ts'
import type { GrantId } from './ids.ts'
import { accessLimits as limits } from './limits.ts'

/** The public record of a governance entity. `tenant` is the client's id, or `platform`. */
export interface AccessView extends ActorView {
  /** 1, 2, 3 …: the ETag, compared with `If-Match`. */
  readonly version: number
  /** Wall-clock ms. */
  readonly createdAtMs: number
  readonly createdBy: string
  readonly updatedAtMs: number
  readonly updatedBy: string
}

/** State that every entity's machine keeps about its own changes. */
export interface AccessState {
  readonly id: string
  readonly tenant: string
  readonly version: number
  readonly createdAtMs: number
  readonly createdBy: Author
  readonly updatedAtMs: number
  readonly updatedBy: Author
}

export interface EntityReply<V extends AccessView> {
  readonly view: V
}

/**
 * Sent by a new grant to everything it depends on, which will notify the grant when it ends. A
 * citation is dropped when its grant has ended.
 */
export interface Citation {
  readonly grantId: GrantId
  /** The latest end of the grant, in wall-clock ms. */
  readonly endsAtMs?: number
}

/** A decision that needs a second person. */
export interface SecondSignature {
  readonly by: Author
  readonly atMs: number
  /** The two-person rule was overridden: both signatures are from the same person. */
  readonly selfReviewed?: true
}

export const nameText = z.string().trim().min(1).max(limits.nameChars)
export const longText = z.string().trim().max(limits.textChars)
export const reasonText = z
  .string()
  .trim()
  .min(limits.reasonCharsLeast)
  .max(limits.reasonChars)
  .describe('The reason, in words that readers of the audit understand later.')
export const digestText = z.string().regex(/^[0-9a-f]{64}$/, 'must be the digest of what was shown')
export const emailText = z.email('must be an e-mail address').max(limits.emailChars).toLowerCase()
/** RFC 3339 on the wire; stored as wall-clock ms. */
export const timeText = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-12-31T23:59:59Z' })
  .transform((text) => Date.parse(text))
