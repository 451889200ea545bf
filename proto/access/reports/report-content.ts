/**
 * The content of a report: sections of five kinds, and the versions of the records that its figures
 * come from. Every format (JSON, HTML, CSV, PDF) is rendered from this.
 */
import { z } from 'zod'
import { areaKeys, type AreaKey } from '../areas/areas.ts'
import { longText, nameText } from '../common.ts'
import { accessLimits as limits } from '../limits.ts'

export const reportKinds = ['audit', 'metrics', 'work_summary'] as const
export type ReportKind = (typeof reportKinds)[number]
export const reportStatuses = ['draft', 'published', 'superseded', 'withdrawn'] as const
export type ReportStatus = (typeof reportStatuses)[number]

/** What a report can cite: records of areas, and governance entities. */
const sourceKinds = [...areaKeys, 'needs', 'grants', 'changes'] as const
export type SourceKind = (typeof sourceKinds)[number]

/** A record at the version that was read. */
export const reportSource = z.strictObject({
  area: z.enum(sourceKinds),
  id: z.string().max(limits.slugChars),
  version: z.int().min(1),
})
export type ReportSource = Readonly<z.output<typeof reportSource>>

const day = z.iso.date('must be a date such as 2026-12-31')
/** Both days are included, in UTC. */
export const reportPeriod = z
  .strictObject({ from: day, to: day })
  .refine(({ from, to }) => from <= to, { message: 'must not be before from', path: ['to'] })
export type ReportPeriod = Readonly<z.output<typeof reportPeriod>>

/**
 * The unit of a figure: `money` is in the smallest unit of its currency, `percent` and `score` are
 * out of 100. A `date` is a text: a day, or a time in UTC.
 */
const figureUnits = [
  ...(['count', 'percent', 'score', 'ms', 'bytes', 'ratio', 'money'] as const),
  'date',
] as const
export type FigureUnit = (typeof figureUnits)[number]

const figure = z.number().nullable()
const unit = z.enum(figureUnits).default('count')
const currency = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .optional()

const metricBody = z.strictObject({
  items: z
    .array(
      z.strictObject({
        label: nameText,
        value: figure,
        unit,
        currency,
        before: figure.optional().describe('An earlier value to compare with.'),
        note: z.string().max(limits.reasonChars).optional(),
      }),
    )
    .max(limits.reportMetrics),
})

const cell = z.union([z.string().max(limits.textChars), z.number(), z.null()])
const tableBody = z.strictObject({
  columns: z
    .array(z.strictObject({ label: nameText, unit: z.enum(figureUnits).optional(), currency }))
    .min(1)
    .max(limits.reportColumns),
  rows: z.array(z.array(cell)).max(limits.reportRows),
})

const chartBody = z.strictObject({
  form: z.enum(['bars', 'stacked', 'line']),
  /** Heading of the labels: `Week`, `Severity`. */
  axis: nameText,
  unit,
  most: z.number().positive().optional().describe('The maximum of the scale, if it has one.'),
  labels: z.array(nameText).min(1).max(limits.reportPoints),
  series: z
    .array(z.strictObject({ name: nameText, values: z.array(figure).max(limits.reportPoints) }))
    .min(1)
    .max(limits.reportSeries),
})

export const findingSeverities = ['critical', 'high', 'medium', 'low'] as const
const findingsBody = z.strictObject({
  items: z
    .array(
      z.strictObject({
        title: nameText,
        severity: z.enum(findingSeverities),
        category: nameText.optional(),
        description: longText.optional(),
        recommendation: longText,
        affected_count: z.int().min(0).default(0),
        affected: z
          .array(
            z.strictObject({
              url: z.string().max(limits.urlChars),
              evidence: z.string().max(limits.textChars).optional(),
            }),
          )
          .max(limits.reportAffected)
          .default([]),
      }),
    )
    .max(limits.reportFindings),
})

const common = {
  heading: nameText,
  sources: z
    .array(z.int().min(0))
    .max(limits.reportSources)
    .default([])
    .describe('Where the figures come from: indexes into the sources of the report, from 0.'),
}

export const reportSection = z.discriminatedUnion('kind', [
  z.strictObject({ ...common, kind: z.literal('text'), body: longText }),
  z.strictObject({ ...common, kind: z.literal('metric'), body: metricBody }),
  z.strictObject({ ...common, kind: z.literal('table'), body: tableBody }),
  z.strictObject({ ...common, kind: z.literal('chart'), body: chartBody }),
  z.strictObject({ ...common, kind: z.literal('findings'), body: findingsBody }),
])
export type ReportSection = z.output<typeof reportSection>
export type SectionOf<K extends ReportSection['kind']> = Extract<ReportSection, { kind: K }>
export type SectionBody<K extends ReportSection['kind']> = SectionOf<K>['body']

/** The part of a report's JSON that the digest covers. */
export const reportContent = z.object({
  kind: z.enum(reportKinds),
  title: z.string(),
  summary: z.string().default(''),
  period: reportPeriod,
  sections: z.array(reportSection),
  sources: z.array(reportSource),
  audience_areas: z.array(z.enum(areaKeys)),
})

/** What the digest covers; including the id, so that one report cannot pass for another. */
export interface ReportContent {
  readonly kind: ReportKind
  readonly title: string
  readonly summary: string
  readonly period: ReportPeriod
  readonly sections: readonly ReportSection[]
  readonly sources: readonly ReportSource[]
  /** A reader without access to all of these does not see the report. */
  readonly audience_areas: readonly AreaKey[]
}
