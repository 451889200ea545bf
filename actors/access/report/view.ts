/** The public view of a report. Its content is in its record, for people who may read it. */
import type { SnapshotFrom } from 'xstate'
import type { ReportStatus } from '../../../proto/access/reports/report-content.ts'
import { reportDigest, type ReportView } from '../../../proto/access/reports/report.ts'
import { stateView } from '../common/state.ts'
import type { ReportContext, reportMachine } from './machine.ts'

export type ReportSnapshot = SnapshotFrom<typeof reportMachine>

export function reportView({ context }: ReportSnapshot): ReportView {
  const { id, content, published, withdrawn, supersedes, supersededBy } = context
  return {
    ...stateView(context),
    status: reportStatusOf(context),
    kind: content.kind,
    title: content.title,
    period: content.period,
    audienceAreas: content.audience_areas,
    digest: reportDigest(id, content),
    authorIds: context.authorIds,
    ...(supersedes !== null && { supersedes }),
    ...(supersededBy !== null && { supersededBy }),
    ...(published && { published }),
    ...(withdrawn && { withdrawn }),
  }
}

/** Derives the status from the context. */
export function reportStatusOf({
  withdrawn,
  supersededBy,
  published,
}: Pick<ReportContext, 'withdrawn' | 'supersededBy' | 'published'>): ReportStatus {
  if (withdrawn) return 'withdrawn'
  if (supersededBy !== null) return 'superseded'
  return published ? 'published' : 'draft'
}
