/** Findings, scores and metrics at the end of an audit. Pure. */
import { defined } from '../../../../proto/defined.ts'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import { pageRules, siteRules } from './rules/registry.ts'
import {
  finalUrlOf,
  readablePages,
  type RuleCategory,
  type PageRule,
  type RuleSeverity,
  type SiteRule,
} from './rules/rule.ts'
import type { SeoState } from './state.ts'

export interface AuditFinding {
  readonly rule: string
  readonly category: RuleCategory
  readonly severity: RuleSeverity
  readonly title: string
  readonly description: string
  readonly recommendation: string
  readonly affected_count: number
  readonly affected: readonly {
    readonly url: string
    readonly selector?: string
    readonly evidence?: string
  }[]
  /** Share of pages without this finding. */
  readonly score: number
  readonly status: 'open'
}

const order: readonly RuleSeverity[] = ['critical', 'high', 'medium', 'low']

/** Most severe first. */
export function findingsOf(site: SeoState): readonly AuditFinding[] {
  const found = [...fromPages(site), ...fromSite(site)]
  const sorted = found.toSorted(
    (a, b) =>
      order.indexOf(a.severity) - order.indexOf(b.severity) || b.affected_count - a.affected_count,
  )
  return fitting(sorted)
}

function fromPages(site: SeoState): AuditFinding[] {
  return pageRules.flatMap((rule) => {
    const found = site.found.find((one) => one.rule === rule.id)
    if (!found || found.count === 0) return []
    const affected = found.spots.map(({ page, ...spot }) => ({
      url: finalUrlOf(site.pages[page]!),
      ...spot,
    }))
    return [toFinding(rule, found.count, affected, found.pages / site.pages.length)]
  })
}

function fromSite(site: SeoState): AuditFinding[] {
  return siteRules.flatMap((rule) => {
    const spots = rule.check(site)
    if (spots.length === 0) return []
    const pages = new Set(spots.map(({ url }) => url)).size
    return [toFinding(rule, spots.length, spots, pages / Math.max(1, site.pages.length))]
  })
}

function toFinding(
  { id, category, severity, title, description, recommendation }: PageRule | SiteRule,
  count: number,
  affected: AuditFinding['affected'],
  share: number,
): AuditFinding {
  return {
    rule: id,
    ...{ category, severity, title, description, recommendation },
    affected_count: count,
    affected: affected.slice(0, limits.seoAffected).map(({ url, selector, evidence }) => ({
      url,
      ...defined({ selector }),
      ...(evidence !== undefined && { evidence: evidence.slice(0, 2 * limits.seoUrlChars) }),
    })),
    score: 1 - Math.min(1, share),
    status: 'open',
  }
}

/** Fits the record's size limit: every finding lists the same number of places; counts are kept. */
function fitting(findings: readonly AuditFinding[]): readonly AuditFinding[] {
  for (let most: number = limits.seoAffected; ; most = Math.floor(most / 2)) {
    const cut = findings.map((one) => ({ ...one, affected: one.affected.slice(0, most) }))
    if (most === 0 || JSON.stringify(cut).length <= limits.seoFindingsBytes) return cut
  }
}

export function summaryOf(findings: readonly AuditFinding[]) {
  const of = (severity: RuleSeverity) => findings.filter((one) => one.severity === severity).length
  const passed = pageRules.length + siteRules.length - findings.length
  return {
    critical: of('critical'),
    high: of('high'),
    medium: of('medium'),
    low: of('low'),
    passed,
  }
}

/** Penalty of a rule: half if it is violated at all, half by the share of pages. */
const penalties: Readonly<Record<RuleSeverity, number>> = {
  critical: 40,
  high: 20,
  medium: 8,
  low: 3,
}

const groups = {
  seo: ['indexing', 'content', 'links', 'structured_data', 'international'],
  performance: ['performance'],
  accessibility: ['media', 'mobile'],
  best_practices: ['security'],
} as const satisfies Readonly<Record<string, readonly RuleCategory[]>>

/** 0–100; null if the audit saw no page. */
export function scoresOf(site: SeoState, findings: readonly AuditFinding[]) {
  const score = (categories: readonly RuleCategory[]): number | null => {
    if (readablePages(site).length === 0) return null
    const off = findings
      .filter(({ category }) => categories.includes(category))
      .reduce((sum, one) => sum + penalties[one.severity] * (0.5 + 0.5 * (1 - one.score)), 0)
    return Math.max(0, Math.round(100 - off))
  }
  const scores = {
    seo: score(groups.seo),
    performance: score(groups.performance),
    accessibility: score(groups.accessibility),
    best_practices: score(groups.best_practices),
  }
  const { seo, performance, accessibility, best_practices } = scores
  const all = [seo, performance, accessibility, best_practices].filter((one) => one !== null)
  const overall =
    all.length === 0 ? null : Math.round(all.reduce((sum, one) => sum + one, 0) / all.length)
  return { overall, ...scores }
}

/** Medians over pages. A page without interaction has no INP. */
export function metricsOf({ pages }: SeoState) {
  const measured = pages.flatMap(({ vitals }) => (vitals ? [vitals] : []))
  const lcp = median(measured.flatMap(({ lcp }) => (lcp === null ? [] : [lcp])))
  const ttfb = median(measured.flatMap(({ ttfb }) => (ttfb === null ? [] : [ttfb])))
  const cls = median(measured.map(({ cls }) => cls))
  const bytes = median(measured.map(({ bytes }) => bytes))
  return {
    ...(lcp !== undefined && { lcp_ms: Math.round(lcp) }),
    inp_ms: null,
    ...(cls !== undefined && { cls: Math.round(cls * 1_000) / 1_000 }),
    ...(ttfb !== undefined && { ttfb_ms: Math.round(ttfb) }),
    ...(bytes !== undefined && { bytes: Math.round(bytes) }),
  }
}

function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)]
}
