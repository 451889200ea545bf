/**
 * A report: generated from records, written on as a draft, published by a second person and the same
 * from then on. Its record of area `reports`, which readers see, is written by its actor.
 */
import { z } from 'zod'
import { actorProtocol, commandVerb, queryVerb } from '../actor.ts'
import { areaKeys, type AreaKey } from './areas.ts'
import type { Author, ByAuthor } from './author.ts'
import {
  digestText,
  longText,
  nameText,
  reasonText,
  type AccessView,
  type Entity,
  type SecondSignature,
} from './common.ts'
import { digestOf } from './digest.ts'
import { accessId, type ClientId, type ReportId } from './ids.ts'
import { accessLimits as limits, dayMs } from './limits.ts'
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
    message: `must be ${limits.reportPeriodDays} days at most`,
  }),
  title: nameText.optional().describe('Made from kind and period when it is not given.'),
  areas: z
    .array(z.enum(areaKeys))
    .min(1)
    .optional()
    .describe('What it tells of; all that this kind can tell of and you hold when absent.'),
  supersedes: accessId('report')
    .optional()
    .describe('A published report of the same client, whose place it takes when it is published.'),
})

const remark = z.strictObject({ heading: nameText, text: longText.min(1) })
/** Words of people. Figures are not theirs to change: they come from the sources. */
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
export type Remark = Readonly<z.output<typeof remark>>

export interface ReportInput extends ByAuthor {
  readonly id: ReportId
  readonly tenant: ClientId
  readonly createdAtMs: number
  readonly content: ReportContent
  readonly supersedes?: ReportId
}

/** Without its sections: these are in its record, for those who may read it. */
export interface ReportView extends AccessView {
  readonly id: ReportId
  readonly tenant: ClientId
  readonly status: ReportStatus
  readonly kind: ReportKind
  readonly title: string
  readonly period: ReportPeriod
  readonly audienceAreas: readonly AreaKey[]
  /** Of its content, as it is now; the same for ever once it is published. */
  readonly digest: string
  /** Ids of those who wrote it. None of them publishes it. */
  readonly authorIds: readonly string[]
  readonly supersedes?: ReportId
  readonly supersededBy?: ReportId
  readonly published?: SecondSignature
  readonly withdrawn?: { readonly by: Author; readonly atMs: number; readonly reason: string }
}

export const reportActor = actorProtocol<ReportInput, ReportView>()('report', {
  /** Asked `untilSettled`, every verb answers once the record says the same. */
  created: queryVerb<Entity<ReportView>>(),
  get: queryVerb<Entity<ReportView>>(),
  update: commandVerb<Entity<ReportView>, ByAuthor & { readonly patch: ReportPatch }>(),
  /** By another person than those who wrote it, of exactly what was shown. */
  publish: commandVerb<Entity<ReportView>, ByAuthor & { readonly digest: string }>(),
  withdraw: commandVerb<Entity<ReportView>, ByAuthor & { readonly reason: string }>(),
  /** From the report that takes its place. */
  supersede: commandVerb<
    Entity<ReportView>,
    { readonly by: Author; readonly reportId: ReportId }
  >(),
})

/** Hex. What anybody who has the report as JSON can compute again. */
export function reportDigest(id: string, content: ReportContent): string {
  const { kind, title, summary, period, sections, sources, audience_areas } = content
  return digestOf({ id, kind, title, summary, period, sections, sources, audience_areas })
}
