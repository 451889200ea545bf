import { z } from 'zod'
import type { ChangeView } from '../../../proto/access/changes/change.ts'
import { changeStatuses } from '../../../proto/access/changes/change.ts'
import {
  changeKinds,
  changeRisks,
  changeTermsJson,
  changeTypes,
  type ChangeWindow,
} from '../../../proto/access/changes/change-terms.ts'
import type { ChangeTemplate } from '../../../proto/access/changes/change-templates.ts'
import {
  authorData,
  authorJson,
  isoTime,
  entityStamps,
  stampsShape,
  timeJson,
} from '../../routing/schemas/access-json.ts'
import { implementersJson, openSlotsJson } from '../governance/json/open-slots.ts'
import { policyData, policyJson, reviewData, reviewJson } from '../governance/json/review.ts'

const windowJson = z.object({ start: timeJson, end: timeJson })
const idAndVersion = z.object({ id: z.string(), version: z.int() })
const termsShape = {
  title: z.string(),
  description: z.string(),
  kind: z.enum(changeKinds),
  type: z.enum(changeTypes),
  template_id: z.string().optional(),
  need_id: z.string(),
  area: z.string().optional(),
  target: idAndVersion.optional(),
  patch: z.record(z.string(), z.unknown()).nullable().optional(),
  risk: z.enum(changeRisks),
  impact: z.string(),
  test_plan: z.string(),
  rollback_plan: z.string(),
  client_visible: z.boolean(),
  window: windowJson
    .optional()
    .describe('The requested window; scheduled is the one that was booked.'),
  implementer_id: z.string().optional(),
  run: z
    .object({ action_id: z.string(), input: z.record(z.string(), z.unknown()) })
    .optional()
    .describe('The workflow action that the change runs, and its input.'),
}

const shownJson = z
  .object({
    client: z.object({ id: z.string(), name: z.string() }),
    need: z.object({ id: z.string(), title: z.string(), purpose: z.string() }),
    proposed_by: z.object({ kind: z.string(), id: z.string() }),
    change: z.object(termsShape),
    template: z.object({ id: z.string(), title: z.string(), approval: z.string() }).optional(),
    rules: z.array(z.string()),
    slots: z.array(z.object({ role: z.string(), count: z.int() })),
  })
  .describe('What reviewers sign: digest is the SHA-256 of its RFC 8785 form.')

export const changeJson = z.object({
  ...stampsShape,
  status: z.enum(changeStatuses),
  ...termsShape,
  proposed_by: authorJson,
  shown: shownJson.nullable(),
  digest: z.string().nullable().describe('Digest of shown; send it with a review.'),
  policy: policyJson.nullable(),
  reviews: z.array(reviewJson),
  open_slots: openSlotsJson,
  implementers: implementersJson,
  scheduled: windowJson.nullable(),
  implementer: z.object({ id: z.string(), started_at: timeJson }).nullable(),
  is_late: z.boolean().describe('True if the change is in progress after the end of its window.'),
  result: z
    .object({
      evidence: z.array(z.string()),
      notes: z.string(),
      reported_by: z.string(),
      reported_at: timeJson,
    })
    .nullable(),
  applied: idAndVersion.nullable().describe('What was written, and its new version.'),
  conflict: z
    .object({ version: z.int(), fields: z.array(z.string()), at: timeJson })
    .nullable()
    .describe('Set if the target had changed when the change was to be written.'),
  post_review: z
    .object({
      by: timeJson,
      status: z.enum(['due', 'done', 'missed']),
      reviewer_id: z.string().optional(),
      self_reviewed: z.boolean().optional(),
    })
    .nullable(),
  history: z
    .array(z.object({ status: z.enum(changeStatuses), at: timeJson, by: z.string() }))
    .describe('The statuses that the change has had, newest last.'),
  message: z
    .string()
    .nullable()
    .describe('Why the change was returned, rejected, failed or cancelled.'),
})

const windowData = ({ startMs, endMs }: ChangeWindow) => ({
  start: isoTime(startMs),
  end: isoTime(endMs),
})

/** A mutable copy, because the types of response schemas are not readonly. */
const copy = <T>(value: T) => structuredClone(value) as never

type Told = Pick<z.output<typeof changeJson>, 'open_slots' | 'implementers'>

export function changeData(view: ChangeView, told: Told): z.output<typeof changeJson> {
  const { implementer, result, applied, conflict, postReview, window, policy } = view
  return {
    ...entityStamps(view),
    status: view.status,
    ...changeTermsJson(view.terms),
    proposed_by: authorData(view.proposedBy),
    shown: copy(view.shown),
    digest: view.digest,
    policy: policy && policyData(policy),
    reviews: view.reviews.map(reviewData),
    ...told,
    scheduled: window && windowData(window),
    implementer: implementer && { id: implementer.id, started_at: isoTime(implementer.atMs) },
    is_late: view.isLate,
    result: result && {
      evidence: [...result.evidence],
      notes: result.notes,
      reported_by: result.by.id,
      reported_at: isoTime(result.atMs),
    },
    applied: applied && { ...applied },
    conflict: conflict && {
      version: conflict.version,
      fields: [...conflict.fields],
      at: isoTime(conflict.atMs),
    },
    post_review: postReview && {
      by: isoTime(postReview.byMs),
      status: postReview.status,
      ...(postReview.reviewerId && { reviewer_id: postReview.reviewerId }),
      ...(postReview.selfReviewed && { self_reviewed: true }),
    },
    history: view.history.map(({ status, atMs, by }) => ({ status, at: isoTime(atMs), by })),
    message: view.message,
  }
}

export const templateJson = z.object({
  id: z.string(),
  title: z.string(),
  about: z.string(),
  kind: z.string(),
  area: z.string(),
  operation: z.enum(['create', 'update', 'none']),
  patch: z.record(z.string(), z.unknown()).describe('JSON Schema of what the template may write.'),
  risk: z.string(),
  test_plan: z.string(),
  rollback_plan: z.string(),
  approval: z.string(),
})

export function templateData({ patch, ...template }: ChangeTemplate) {
  const { $schema: _, ...schema } = z.toJSONSchema(patch)
  return { ...template, patch: schema }
}
