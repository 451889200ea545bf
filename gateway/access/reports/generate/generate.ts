/**
 * Generates a report from its material. A pure function: the same material gives the same report.
 */
import type { AreaKey } from '../../../../proto/access/areas/areas.ts'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import type {
  ReportContent,
  ReportKind,
  ReportPeriod,
} from '../../../../proto/access/reports/report-content.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import type { ReportArea } from '../../../../runtime/access/report-visibility.ts'
import { accessGivenChapter } from './chapters/access.ts'
import { siteAuditsChapter } from './chapters/audits.ts'
import { changesDoneChapter } from './chapters/changes.ts'
import type { ReportChapter } from './chapter.ts'
import { contentGapCountsChapter } from './chapters/content-gaps.ts'
import { deploymentsChapter } from './chapters/deployments.ts'
import { ReportDraft } from './draft.ts'
import type { ReportMaterial } from './material.ts'
import { availabilityChapter } from './chapters/monitoring.ts'
import { closedNeedsChapter } from './chapters/needs.ts'
import { salesChapter } from './chapters/opportunities.ts'
import { taskCountsChapter, tasksDoneChapter } from './chapters/tasks.ts'
import { longDayText, shortRange } from './phrases.ts'

/** The chapters of each kind, in order. A new source is a new file and an entry here. */
const chapters: Readonly<Record<ReportKind, readonly ReportChapter[]>> = {
  audit: [siteAuditsChapter, accessGivenChapter],
  metrics: [availabilityChapter, salesChapter, contentGapCountsChapter, taskCountsChapter],
  work_summary: [tasksDoneChapter, deploymentsChapter, changesDoneChapter, closedNeedsChapter],
}

const titles: Readonly<Record<ReportKind, string>> = {
  audit: 'Audit report',
  metrics: 'Metrics',
  work_summary: 'Summary of work',
}

/** The areas that a kind of report may contain. */
export const reportAreasOf = (kind: ReportKind): readonly ReportArea[] =>
  chapters[kind].flatMap(({ area }) => (area === undefined ? [] : [area]))

export interface ReportOrder {
  readonly kind: ReportKind
  readonly title?: string | undefined
  /** The areas that the report may contain; its readers must have access to all of them. */
  readonly areas: readonly AreaKey[]
}

export function generateReport(
  { kind, title, areas }: ReportOrder,
  material: ReportMaterial,
): ReportContent {
  const draft = new ReportDraft(areas)
  for (const { area, ...chapter } of chapters[kind]) {
    if (area === undefined || areas.includes(area)) chapter.write(draft, material)
  }
  const { period } = material
  const content: ReportContent = {
    ...{ kind, period, title: title ?? draft.title ?? titleOf(kind, period) },
    ...draft.finished(),
    audience_areas: [...areas],
  }
  return fitting(content)
}

const titleOf = (kind: ReportKind, { from, to }: ReportPeriod): string =>
  `${titles[kind]}, ${shortRange(from, to)}`

/** For example `1 May 2026 to 31 May 2026`, or a single day. */
export const periodText = ({ from, to }: ReportPeriod): string =>
  from === to ? longDayText(from) : `${longDayText(from)} to ${longDayText(to)}`

/**
 * Keeps the report within the size of a record by halving the number of affected places listed per
 * finding; their counts stay.
 */
function fitting(content: ReportContent): ReportContent {
  for (let most: number = limits.reportAffected; ; most = Math.floor(most / 2)) {
    const cut = { ...content, sections: content.sections.map((one) => withAffected(one, most)) }
    if (Buffer.byteLength(JSON.stringify(cut)) <= limits.reportBytes) return cut
    if (most > 0) continue
    const text = 'This period contains more than a report can hold'
    throw new ServiceError('too_large', `${text}; request a shorter period, or fewer areas.`, {
      limit: limits.reportBytes,
    })
  }
}

function withAffected(section: ReportContent['sections'][number], most: number) {
  if (section.kind !== 'findings') return section
  const items = section.body.items.map((item) => ({
    ...item,
    affected: item.affected.slice(0, most),
  }))
  return { ...section, body: { items } }
}
