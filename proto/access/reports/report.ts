/**
 * A report: generated from records, edited as a draft, published by a second person and immutable
 * from then on. Its actor writes the record of area `reports` that readers see.
 */
import { z } from 'zod'
import { actorProtocol, commandVerb, queryVerb } from '../../actor.ts'
import { areaKeys, type AreaKey } from '../areas/areas.ts'
import type { Author, ByAuthor } from '../author.ts'
import {
  digestText,
  longText,
  nameText,
  reasonText,
  type AccessView,
  type EntityReply,
  type SecondSignature,
} from '../common.ts'
import { digestOf } from '../digest.ts'
import { accessId, type ClientId, type ReportId } from '../ids.ts'
import { accessLimits as limits } from '../limits.ts'
import { dayMs } from '../../units.ts'
import {
  reportKinds,
  reportPeriod,
  type ReportContent,
  type ReportKind,
  type ReportPeriod,
  type ReportStatus,
} from './report-content.ts'

const lasts = ({ from, to }: ReportPeriod) => (Date.parse(to) - Date.parse(from)) / dayMs + 1

export const reportBody = z.strictObject({
  client_id: accessId('client'),
  kind: z.enum(reportKinds),
  period: reportPeriod.refine((period) => lasts(period) <= limits.reportPeriodDays, {
    message: `must be at most ${limits.reportPeriodDays} days`,
  }),
  title: nameText.optional().describe('If absent, the title is built from kind and period.'),
  areas: z
    .array(z.enum(areaKeys))
    .min(1)
    .optional()
    .describe(
      'The areas to cover. If absent, all areas that this kind can cover and you may read.',
    ),
  supersedes: accessId('report')
    .optional()
    .describe(
      'A published report of the same client, which this one replaces when it is published.',
    ),
})

const remark = z.strictObject({ heading: nameText, text: longText.min(1) })
/** Text that people may edit. Figures are not editable: they come from the sources. */
export const reportPatch = z
  .strictObject({
    title: nameText,
    summary: longText,
    remarks: z.array(remark).max(limits.reportRemarks),
  })
  .partial()
export const publishBody = z.strictObject({ digest: digestText })
export const withdrawBody = z.strictObject({ reason: reasonText })

export type ReportPatch = Readonly<z.output<typeof reportPatch>>
export type ReportRemark = Readonly<z.output<typeof remark>>

export interface ReportInput extends ByAuthor {
  readonly id: ReportId
  readonly tenant: ClientId
  readonly createdAtMs: number
  readonly content: ReportContent
  readonly supersedes?: ReportId
}

/** Without sections: those are in its record, for people who may read it. */
export interface ReportView extends AccessView {
  readonly id: ReportId
  readonly tenant: ClientId
  readonly status: ReportStatus
  readonly kind: ReportKind
  readonly title: string
  readonly period: ReportPeriod
  readonly audienceAreas: readonly AreaKey[]
  /** Digest of the current content; it never changes after publication. */
  readonly digest: string
  /** Ids of the people who edited it. None of them may publish it. */
  readonly authorIds: readonly string[]
  readonly supersedes?: ReportId
  readonly supersededBy?: ReportId
  readonly published?: SecondSignature
  readonly withdrawn?: { readonly by: Author; readonly atMs: number; readonly reason: string }
}

export const reportActor = actorProtocol<ReportInput, ReportView>()('report', {
  /** With `untilSettled`, every verb replies once the record is up to date. */
  created: queryVerb<EntityReply<ReportView>>(),
  get: queryVerb<EntityReply<ReportView>>(),
  update: commandVerb<EntityReply<ReportView>, ByAuthor & { readonly patch: ReportPatch }>(),
  /** By a person who did not edit it, naming the digest of exactly what was shown. */
  publish: commandVerb<EntityReply<ReportView>, ByAuthor & { readonly digest: string }>(),
  withdraw: commandVerb<EntityReply<ReportView>, ByAuthor & { readonly reason: string }>(),
  /** Sent by the report that replaces it. */
  supersede: commandVerb<
    EntityReply<ReportView>,
    { readonly by: Author; readonly reportId: ReportId }
  >(),
})

/** Returns hex. Anyone who has the report as JSON can recompute it. */
export function reportDigest(id: string, content: ReportContent): string {
  const { kind, title, summary, period, sections, sources, audience_areas } = content
  return digestOf({ id, kind, title, summary, period, sections, sources, audience_areas })
}
