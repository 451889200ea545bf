/** Kinds, states and periods of reports in words. */
import type {
  ReportKind,
  ReportPeriod,
  ReportStatus,
} from '../../../../proto/access/reports/report-content.ts'
import { dayWord } from '../../../html/times.ts'

export const kindWords: Readonly<Record<ReportKind, string>> = {
  audit: 'Audit',
  metrics: 'Metrics',
  work_summary: 'Work summary',
}

export const kindHints: Readonly<Record<ReportKind, string>> = {
  audit: 'Findings of site audits, and who had access to the data.',
  metrics: 'Availability, sales, content gaps and tasks in figures.',
  work_summary: 'Work done: tasks, deployments, changes and needs.',
}

export const statusWords: Readonly<Record<ReportStatus, string>> = {
  draft: 'Draft',
  published: 'Published',
  superseded: 'Superseded',
  withdrawn: 'Withdrawn',
}

/** The days of a report are UTC days. */
export function periodWord(period: ReportPeriod | undefined): string {
  if (!period) return '–'
  const [from, to] = [
    dayWord(Date.parse(period.from), 'UTC'),
    dayWord(Date.parse(period.to), 'UTC'),
  ]
  return from === to ? from : `${from} to ${to}`
}

/** Long enough to tell two reports apart. */
export const shortDigest = (digest: string): string => digest.slice(0, 8)
