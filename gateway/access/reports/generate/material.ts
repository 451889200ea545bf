/** The input of a report: the records of its areas, and governance entities. */
import type { AreaKey } from '../../../../proto/access/areas/areas.ts'
import type { ChangeView } from '../../../../proto/access/changes/change.ts'
import type { GrantView } from '../../../../proto/access/grants/grant.ts'
import { dayMs } from '../../../../proto/units.ts'
import type { NeedView } from '../../../../proto/access/engagement/need.ts'
import type { StoredRecord } from '../../../../proto/access/areas/record.ts'
import type { ReportPeriod } from '../../../../proto/access/reports/report-content.ts'

export interface ReportMaterial {
  readonly period: ReportPeriod
  /** Contains only areas that the report may use. */
  readonly records: Partial<Readonly<Record<AreaKey, readonly StoredRecord[]>>>
  readonly needs: readonly NeedView[]
  readonly grants: readonly GrantView[]
  readonly changes: readonly ChangeView[]
  /** Wall-clock ms. */
  readonly nowMs: number
}

/** The first ms of the period, and the first one after it. */
export const periodSpanOf = ({ from, to }: ReportPeriod) => ({
  fromMs: Date.parse(from),
  untilMs: Date.parse(to) + dayMs,
})

export function isWithin(period: ReportPeriod, time: string | number | undefined): boolean {
  if (time === undefined) return false
  const { fromMs, untilMs } = periodSpanOf(period)
  const atMs = typeof time === 'number' ? time : Date.parse(time)
  return fromMs <= atMs && atMs < untilMs
}
