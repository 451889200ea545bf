/** The findings of a site's audits; the newest of the period is compared with the first. */
import { z } from 'zod'
import { findingSeverities } from '../../../../../proto/access/reports/report-content.ts'
import type { ReadRecord } from '../chapter.ts'

const score = z.number().nullable().optional()
const severity = z.enum(findingSeverities)

export const seoAuditFields = z.looseObject({
  site_url: z.string(),
  strategy: z.string().default('mobile'),
  status: z.enum(['completed', 'partial']),
  finished_at: z.string(),
  pages_crawled: z.number().optional(),
  scores: z
    .looseObject({
      overall: score,
      seo: score,
      performance: score,
      accessibility: score,
      best_practices: score,
    })
    .default({}),
  metrics: z
    .looseObject({
      lcp_ms: z.number().optional(),
      cls: z.number().optional(),
      ttfb_ms: z.number().optional(),
      bytes: z.number().optional(),
    })
    .default({}),
  /** Counts; in audits of other tools, the only thing that is known of the findings. */
  summary: z
    .looseObject({
      critical: z.number().optional(),
      high: z.number().optional(),
      medium: z.number().optional(),
      low: z.number().optional(),
    })
    .optional(),
  findings: z
    .array(
      z.looseObject({
        rule: z.string(),
        title: z.string(),
        severity,
        category: z.string(),
        description: z.string().optional(),
        recommendation: z.string(),
        affected_count: z.number(),
        affected: z
          .array(z.looseObject({ url: z.string(), evidence: z.string().optional() }))
          .default([]),
        status: z.string().default('open'),
      }),
    )
    .optional(),
})
export type SeoAudit = ReadRecord<z.output<typeof seoAuditFields>>
export type SeoFinding = NonNullable<SeoAudit['fields']['findings']>[number]

export const scoreNames = {
  seo: 'Search engines',
  performance: 'Performance',
  accessibility: 'Accessibility',
  best_practices: 'Best practices',
} as const
export type ScoreName = keyof typeof scoreNames

/** All audits of one site with one strategy, oldest first. */
export interface AuditedSite {
  readonly name: string
  readonly audits: readonly SeoAudit[]
  readonly newest: SeoAudit
  /** Absent if there is only one audit. */
  readonly first?: SeoAudit
}

/** Sites with the newest audits first. */
export function sitesOf(audits: readonly SeoAudit[]): readonly AuditedSite[] {
  const bySite = new Map<string, SeoAudit[]>()
  for (const audit of audits) {
    const { site_url, strategy } = audit.fields
    const key = `${site_url} ${strategy}`
    bySite.set(key, [...(bySite.get(key) ?? []), audit])
  }
  const sites = [...bySite.values()].map((all) => {
    const sorted = all.toSorted((a, b) => (a.fields.finished_at < b.fields.finished_at ? -1 : 1))
    const [first, newest] = [sorted[0]!, sorted.at(-1)!]
    const { site_url, strategy } = newest.fields
    const isOnly = new Set(audits.map(({ fields }) => `${fields.site_url}`)).size === bySite.size
    const name = isOnly ? placeOf(site_url) : `${placeOf(site_url)} (${strategy})`
    return { name, audits: sorted, newest, ...(first !== newest && { first }) }
  })
  return sites.sort((a, b) => (a.newest.fields.finished_at > b.newest.fields.finished_at ? -1 : 1))
}

/** For example `example.com` or `example.com/shop`. */
function placeOf(url: string): string {
  if (!URL.canParse(url)) return url
  const { host, pathname } = new URL(url)
  return host + (pathname === '/' ? '' : pathname)
}

/** Open findings, the most severe first; none if the audit has no list of them. */
export const openFindings = ({ fields }: SeoAudit): readonly SeoFinding[] =>
  (fields.findings ?? [])
    .filter(({ status }) => status === 'open')
    .toSorted(
      (a, b) =>
        findingSeverities.indexOf(a.severity) - findingSeverities.indexOf(b.severity) ||
        b.affected_count - a.affected_count,
    )

/** How many findings are open, by severity: null where the audit does not say it. */
export function findingCounts(audit: SeoAudit): ReadonlyMap<FindingSeverity, number | null> {
  const { findings, summary } = audit.fields
  const open = openFindings(audit)
  return new Map(
    findingSeverities.map((severity) => [
      severity,
      findings === undefined
        ? (summary?.[severity] ?? null)
        : open.filter((one) => one.severity === severity).length,
    ]),
  )
}
type FindingSeverity = (typeof findingSeverities)[number]
