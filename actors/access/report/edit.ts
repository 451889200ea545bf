/** What people may change in a draft: its words. Remarks stand before what was generated. */
import type { ReportContent } from '../../../proto/access/report-content.ts'
import type { ReportPatch, Remark } from '../../../proto/access/report.ts'

type Section = ReportContent['sections'][number]

/** What is generated cites its sources; text that cites none is a person's. */
export const isRemark = ({ kind, sources }: Section): boolean =>
  kind === 'text' && sources.length === 0

const toSection = ({ heading, text }: Remark): Section => ({
  ...{ heading, kind: 'text', body: text },
  sources: [],
})

export function edited(
  content: ReportContent,
  { title, summary, remarks }: ReportPatch,
): ReportContent {
  const generated = content.sections.filter((section) => !isRemark(section))
  return {
    ...content,
    ...(title !== undefined && { title }),
    ...(summary !== undefined && { summary }),
    ...(remarks && { sections: [...remarks.map(toSection), ...generated] }),
  }
}
