/** SEO audits: the state of each site, what to do first, and all findings. */
import { defined } from '../../../../../proto/defined.ts'
import { accessLimits as limits } from '../../../../../proto/access/limits.ts'
import { findingSeverities } from '../../../../../proto/access/reports/report-content.ts'
import { readAll, sourcesOf, type ReportChapter } from '../chapter.ts'
import type { ReportDraft } from '../draft.ts'
import { isWithin } from '../material.ts'
import {
  findingCounts,
  openFindings,
  scoreNames,
  seoAuditFields,
  sitesOf,
  type AuditedSite,
  type ScoreName,
  type SeoAudit,
  type SeoFinding,
} from './seo-audit.ts'
import { countPhrase, longDayText, joinList, notRecorded, shortDay, humanize } from '../phrases.ts'

const firstSteps = 5
const names = Object.keys(scoreNames) as readonly ScoreName[]

export const siteAuditsChapter: ReportChapter = {
  area: 'seo-audits',
  write(draft, { records, period }) {
    const audits = readAll(records['seo-audits'], seoAuditFields).filter(({ fields }) =>
      isWithin(period, fields.finished_at),
    )
    const sites = sitesOf(audits)
    if (sites.length === 1) draft.setTitle(`Audit of ${sites[0]!.name}`)
    if (sites.length === 0) {
      draft.addSummary('No site was audited in this period.')
      return
    }
    for (const site of sites.slice(0, limits.reportSites)) {
      writeSite(draft, site, sites.length === 1 ? '' : `${site.name}: `)
    }
    const left = sites.length - limits.reportSites
    if (left > 0) draft.addSummary(`${countPhrase(left, 'more site')} audited, not in this report.`)
  },
}

function writeSite(draft: ReportDraft, site: AuditedSite, prefix: string): void {
  const { newest, audits } = site
  const findings = openFindings(newest)
  const from = sourcesOf([newest])
  figures(draft, site, prefix)
  draft.addSummary(summaryOf(site))
  steps(draft, site, prefix, findings)
  scores(draft, site, prefix)
  if (audits.length > 2) course(draft, site, prefix)
  if (findings.length > 0) categories(draft, prefix, findings, from)
  loading(draft, site, prefix)
  const items = findings.slice(0, limits.reportFindings).map(toItem)
  const title =
    items.length < findings.length
      ? `The first ${items.length} of ${findings.length} findings`
      : 'All findings'
  if (items.length > 0) draft.add('findings', `${prefix}${title}`, { items }, from)
}

function figures(draft: ReportDraft, { newest, first }: AuditedSite, prefix: string): void {
  const from = sourcesOf(first ? [first, newest] : [newest])
  const { scores: now, pages_crawled: pages } = newest.fields
  const before = first && { before: first.fields.scores.overall ?? null }
  const add = (label: string, value: number | null | undefined, unit: 'score' | 'count') =>
    draft.figure(
      {
        ...{ label: `${prefix}${label}`, value: value ?? null, unit },
        ...(unit === 'score' && before),
        ...(value == null && { note: notRecorded }),
      },
      from,
    )
  add('Overall score', now.overall, 'score')
  const counts = findingCounts(newest)
  for (const severity of ['critical', 'high'] as const) {
    add(`${humanize(severity)} findings`, counts.get(severity), 'count')
  }
  add('Pages checked', pages, 'count')
}

function summaryOf({ name, newest, first }: AuditedSite): string {
  const { pages_crawled: pages, finished_at, scores: now } = newest.fields
  const were =
    pages === undefined
      ? `${name} was audited`
      : `${countPhrase(pages, 'page')} of ${name} ${pages === 1 ? 'was' : 'were'} checked`
  const points = now.overall == null ? '' : ` It has ${now.overall} of 100 points${sinceThen()}.`
  return `${were} on ${longDayText(finished_at)}.${points} ${openText(newest)}`

  function sinceThen(): string {
    const before = first?.fields.scores.overall
    if (first === undefined || before == null || now.overall == null) return ''
    const change = now.overall - before
    const on = longDayText(first.fields.finished_at)
    if (change === 0) return `, as many as on ${on}`
    return `, ${Math.abs(change)} ${change > 0 ? 'more' : 'fewer'} than on ${on}`
  }
}

/** An audit without its findings says how many there are at most, and never that there are none. */
function openText(audit: SeoAudit): string {
  const counts = findingCounts(audit)
  const known = findingSeverities.flatMap((severity) => {
    const n = counts.get(severity)
    return n == null ? [] : [{ severity, n }]
  })
  const grave = known.filter(({ n }) => n > 0)
  const unlisted = audit.fields.findings === undefined
  if (unlisted && known.length === 0) return 'Its findings are not recorded.'
  const list = unlisted ? ' The findings themselves are not recorded.' : ''
  if (grave.length === 0) return unlisted ? list.trim() : 'Nothing was found.'
  const isOne = grave.length === 1 && grave[0]!.n === 1
  const parts = grave.map(({ severity, n }) => `${n} ${severity}`)
  const state = unlisted ? 'counted' : 'open'
  return `${joinList(parts)} ${isOne ? 'finding is' : 'findings are'} ${state}.${list}`
}

function steps(
  draft: ReportDraft,
  { newest }: AuditedSite,
  prefix: string,
  findings: readonly SeoFinding[],
): void {
  if (findings.length === 0) return
  draft.table(
    `${prefix}What to do first`,
    ['Finding', 'What to do', 'Severity', { label: 'Places', unit: 'count' }],
    findings
      .slice(0, firstSteps)
      .map(({ title, recommendation, severity, affected_count }) => [
        ...[title, recommendation, humanize(severity)],
        affected_count,
      ]),
    sourcesOf([newest]),
  )
}

function scores(draft: ReportDraft, { newest, first }: AuditedSite, prefix: string): void {
  const valuesOf = ({ fields }: typeof newest) => names.map((name) => fields.scores[name] ?? null)
  if (valuesOf(newest).every((value) => value === null)) return
  const on = ({ fields }: typeof newest) => shortDay(fields.finished_at)
  const series = [...(first ? [first] : []), newest].map((audit, n, all) => {
    // Two audits of the same day are labelled by their order.
    const isTwin = all.length === 2 && on(all[0]!) === on(all[1]!)
    return { name: isTwin ? ['Before', 'Now'][n]! : on(audit), values: valuesOf(audit) }
  })
  const labels = names.map((name) => scoreNames[name])
  const shape = { form: 'bars', axis: 'Score', unit: 'score', most: 100 } as const
  const from = sourcesOf(first ? [first, newest] : [newest])
  draft.add('chart', `${prefix}Scores`, { ...shape, labels, series }, from)
}

function course(draft: ReportDraft, { audits }: AuditedSite, prefix: string): void {
  const last = audits.slice(-limits.reportPoints)
  const labels = last.map(({ fields }) => shortDay(fields.finished_at))
  const values = last.map(({ fields }) => fields.scores.overall ?? null)
  const shape = { form: 'line', axis: 'Audit of', unit: 'score', most: 100 } as const
  const series = [{ name: 'Overall score', values }]
  draft.add('chart', `${prefix}Over time`, { ...shape, labels, series }, sourcesOf(last))
}

function categories(
  draft: ReportDraft,
  prefix: string,
  findings: readonly SeoFinding[],
  from: ReturnType<typeof sourcesOf>,
): void {
  const found = [...new Set(findings.map(({ category }) => category))]
  const series = findingSeverities.flatMap((severity) => {
    const values = found.map(
      (category) =>
        findings.filter((one) => one.category === category && one.severity === severity).length,
    )
    return values.some((n) => n > 0) ? [{ name: humanize(severity), values }] : []
  })
  const labels = found.map(humanize)
  const shape = { form: 'stacked', axis: 'Category', unit: 'count' } as const
  draft.add('chart', `${prefix}Findings by category`, { ...shape, labels, series }, from)
}

function loading(draft: ReportDraft, { newest, first }: AuditedSite, prefix: string): void {
  const now = newest.fields.metrics
  const before = first?.fields.metrics
  const rows = [
    { key: 'lcp_ms', label: 'Largest content painted', unit: 'ms', note: 'good below 2.5 s' },
    { key: 'ttfb_ms', label: 'First byte', unit: 'ms', note: 'good below 0.8 s' },
    { key: 'cls', label: 'Layout shift', unit: 'ratio', note: 'good below 0.1' },
    { key: 'bytes', label: 'Weight of a page', unit: 'bytes', note: 'median of all pages' },
  ] as const
  const items = rows.flatMap(({ key, ...item }) => {
    const value = now[key]
    if (value === undefined) return []
    return [{ ...item, value, ...(before?.[key] !== undefined && { before: before[key] }) }]
  })
  if (items.length === 0) return
  const from = sourcesOf(first ? [first, newest] : [newest])
  draft.add('metric', `${prefix}How it loads`, { items }, from)
}

function toItem(finding: SeoFinding) {
  const { title, severity, category, description, recommendation, affected_count } = finding
  return {
    ...{ title, severity, category: humanize(category), recommendation, affected_count },
    ...defined({ description }),
    affected: finding.affected
      .slice(0, limits.reportAffected)
      .map(({ url, evidence }) => ({ url, ...defined({ evidence }) })),
  }
}
