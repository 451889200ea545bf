/** Formats a change for a terminal: what reviewers sign, and its outcome. Pure. */
import { z } from 'zod'
import { cleanText } from '../../../lib/text/clean.ts'
import { openSlotRows, textPage, reviewText, textRow, textRows, minuteText } from './texts.ts'
import { openSlotsAnswer, reviewAnswer } from './answers.ts'

const time = z.string()
const target = z.object({ id: z.string(), version: z.number() })
const window = z.object({ start: time, end: time })
const terms = z.object({
  title: z.string(),
  description: z.string(),
  kind: z.string(),
  type: z.string(),
  template_id: z.string().optional(),
  need_id: z.string(),
  area: z.string().optional(),
  target: target.optional(),
  patch: z.record(z.string(), z.unknown()).nullish(),
  risk: z.string(),
  impact: z.string(),
  test_plan: z.string(),
  rollback_plan: z.string(),
  client_visible: z.boolean(),
  window: window.optional(),
  implementer_id: z.string().optional(),
})

/** `shown` is kept unchanged, because the digest covers all of it. */
export const changeAnswer = terms.extend({
  id: z.string(),
  client_id: z.string().optional(),
  version: z.number(),
  status: z.string(),
  proposed_by: z.object({ kind: z.string(), id: z.string() }),
  shown: z
    .looseObject({
      client: z.looseObject({ id: z.string(), name: z.string() }),
      need: z.looseObject({ id: z.string(), title: z.string(), purpose: z.string() }),
      change: z.looseObject(terms.shape),
      template: z.looseObject({ title: z.string(), approval: z.string() }).optional(),
    })
    .nullable(),
  digest: z.string().nullable(),
  policy: z
    .object({
      rules: z.array(z.string()),
      slots: z.array(z.object({ role: z.string(), count: z.number() })),
    })
    .nullable(),
  reviews: z.array(reviewAnswer),
  open_slots: openSlotsAnswer,
  implementers: z
    .object({
      can: z.array(z.object({ id: z.string(), name: z.string() })),
      advice: z.string().optional(),
    })
    .optional(),
  scheduled: window.nullable(),
  implementer: z.object({ id: z.string(), started_at: time }).nullable(),
  is_late: z.boolean(),
  result: z
    .object({ evidence: z.array(z.string()), notes: z.string(), reported_by: z.string() })
    .nullable(),
  applied: target.nullable(),
  conflict: z.object({ version: z.number(), fields: z.array(z.string()) }).nullable(),
  post_review: z.object({ by: time, status: z.string() }).nullable(),
  message: z.string().nullable(),
})
export type ChangeAnswer = z.output<typeof changeAnswer>

const targetText = ({ id, version }: z.output<typeof target>) => `${id}, version ${version}`
const windowText = ({ start, end }: z.output<typeof window>) =>
  `${minuteText(start)} to ${minuteText(end)}`

/** For a proposed change: what is signed, not the current fields beside it. */
export function changeAsText(change: ChangeAnswer): string {
  const { shown, policy, scheduled, implementer, result, applied, conflict, post_review } = change
  const { implementers } = change
  const of = shown?.change ?? change
  return textPage(
    `Change ${change.id}: ${of.title}`,
    textRow('Status', change.is_late ? `${change.status}, past its window` : change.status),
    textRow('Client', shown ? `${shown.client.name} (${shown.client.id})` : change.client_id),
    textRow('Proposed by', `${change.proposed_by.kind} ${change.proposed_by.id}`),
    textRow('Need', shown ? `${shown.need.title} (${shown.need.id})` : of.need_id),
    textRow('', shown?.need.purpose),
    textRow('Kind', `${of.type} ${of.kind}, ${of.risk} risk`),
    textRow('Template', shown?.template && `${shown.template.title}. ${shown.template.approval}`),
    textRow('What', of.description),
    textRow('Target', of.target ? targetText(of.target) : of.area && `a new record of ${of.area}`),
    textRows('Patch', patchLines(of.patch)),
    textRow('Impact', of.impact),
    textRow('Test plan', of.test_plan),
    textRow('Rollback plan', of.rollback_plan),
    textRow(
      'Visible',
      of.client_visible ? 'to the client: its owner approves it too' : 'to the provider',
    ),
    textRow('Requested window', of.window && windowText(of.window)),
    textRow('Implementer', of.implementer_id),
    textRow('Approvals', policy?.slots.map(({ role, count }) => `${count} × ${role}`).join(', ')),
    textRow('Rules', policy?.rules.join(', ')),
    ...openSlotRows(change.open_slots),
    textRow(
      'Can implement',
      implementers && (implementers.advice ?? implementers.can.map(({ name }) => name).join(', ')),
    ),
    textRows('Reviews', change.reviews.map(reviewText)),
    textRow('Scheduled', scheduled ? windowText(scheduled) : undefined),
    textRow(
      'Started',
      implementer ? `${minuteText(implementer.started_at)} by ${implementer.id}` : undefined,
    ),
    textRows('Evidence', result?.evidence ?? []),
    textRow('Notes', result?.notes),
    textRow('Written', applied ? targetText(applied) : undefined),
    textRow('Conflict', conflict ? conflictText(conflict) : undefined),
    textRow(
      'Post-review',
      post_review ? `${post_review.status}, by ${minuteText(post_review.by)}` : undefined,
    ),
    textRow('Message', change.message ?? undefined),
    textRow('Digest', change.digest ?? undefined),
  )
}

/** One line per field, so that none can hide behind another. */
function patchLines(patch: ChangeAnswer['patch']): string[] {
  if (patch === null) return ['removes it']
  return Object.entries(patch ?? {}).map(([name, value]) =>
    cleanText(`${name}: ${JSON.stringify(value)}`),
  )
}

const conflictText = ({ version, fields }: NonNullable<ChangeAnswer['conflict']>) =>
  `the target was version ${version} by then: ${fields.join(', ') || 'it is gone'}`
