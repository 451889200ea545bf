import { z } from 'zod'
import type { FrozenPolicy, Review } from '../../../../proto/access/grants/review.ts'
import { isoTime, timeJson } from '../../../routing/schemas/access-json.ts'

export const reviewJson = z.object({
  id: z.string(),
  reviewer_id: z.string(),
  slot: z.string(),
  decision: z.enum(['approve', 'deny', 'request_changes']),
  reason: z.string(),
  digest: z.string(),
  at: timeJson,
  self_reviewed: z.boolean().optional(),
  is_void: z
    .boolean()
    .optional()
    .describe('True for a review of an earlier version, which no longer counts.'),
})

export const reviewData = (review: Review) => ({
  id: review.id,
  reviewer_id: review.reviewerId,
  slot: review.slot,
  decision: review.decision,
  reason: review.reason,
  digest: review.digest,
  at: isoTime(review.atMs),
  ...(review.selfReviewed && { self_reviewed: true }),
  ...(review.isVoid && { is_void: true }),
})

export const policyJson = z.object({
  rules: z.array(z.string()),
  slots: z.array(z.object({ role: z.string(), count: z.number().int() })),
})

export const policyData = ({ rules, slots }: FrozenPolicy) => ({
  rules: [...rules],
  slots: slots.map((slot) => ({ ...slot })),
})
