/** How people edit a draft: only its text. Remarks come before the generated sections. */
import { defined } from '../../../proto/defined.ts'
import type { ReportContent } from '../../../proto/access/reports/report-content.ts'
import type { ReportPatch, ReportRemark } from '../../../proto/access/reports/report.ts'

type Section = ReportContent['sections'][number]

/** Generated text cites its sources; text without sources was written by a person. */
const isRemark = ({ kind, sources }: Section): boolean => kind === 'text' && sources.length === 0

const toSection = ({ heading, text }: ReportRemark): Section => ({
  ...{ heading, kind: 'text', body: text },
  sources: [],
})

export function applyReportPatch(
  content: ReportContent,
  { title, summary, remarks }: ReportPatch,
): ReportContent {
  const generated = content.sections.filter((section) => !isRemark(section))
  return {
    ...content,
    ...defined({ title, summary }),
    ...(remarks && { sections: [...remarks.map(toSection), ...generated] }),
  }
}
