/** Which messages a report accepts in its current state. Gateways check who may send them. */
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type { ReportContent } from '../../../proto/access/reports/report-content.ts'
import { reportActor, reportDigest } from '../../../proto/access/reports/report.ts'
import type { MessageOf } from '../../../proto/actor.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { admitCommand, admitSecond } from '../common/admit.ts'
import { applyReportPatch } from './edit.ts'
import type { ReportSnapshot } from './view.ts'

export function admitReport(
  snapshot: ReportSnapshot,
  message: MessageOf<typeof reportActor>,
): void {
  admitCommand(reportActor, snapshot, message)
  const { id, content, authorIds, version } = snapshot.context
  if (message.type === 'update') {
    admitSize(applyReportPatch(content, message.patch))
    if (authorIds.includes(message.by.id) || authorIds.length < limits.reportAuthors) return
    const text = `${limits.reportAuthors} people have edited this draft, which is the limit; generate another one.`
    throw new ServiceError('quota_exceeded', text, { limit: limits.reportAuthors })
  }
  if (message.type !== 'publish') return
  admitSecond(message.by, authorIds, 'Publishing a report')
  if (message.digest === reportDigest(id, content)) return
  const other = 'The draft has changed since it was shown; read it again, then publish it.'
  throw new ServiceError('precondition_failed', other, { version })
}

function admitSize(content: ReportContent): void {
  const limit = limits.reportEditedBytes
  if (Buffer.byteLength(JSON.stringify(content)) <= limit) return
  const text = 'The report would be too long with this text; shorten it.'
  throw new ServiceError('too_large', text, { limit })
}
