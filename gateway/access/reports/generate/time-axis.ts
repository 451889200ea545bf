/** Divides a period into days, weeks starting on Monday, or months, depending on its length. */
import { dayMs } from '../../../../proto/units.ts'
import type { ReportPeriod } from '../../../../proto/access/reports/report-content.ts'
import { periodSpanOf } from './material.ts'

const daysMost = 16
const weeksMost = 27

export interface TimeAxis {
  readonly axis: 'Day' | 'Week from' | 'Month'
  readonly labels: readonly string[]
  /** The number of the given times in each step. */
  count(times: readonly (string | number)[]): number[]
}

export function timeAxisOf(period: ReportPeriod): TimeAxis {
  const { fromMs, untilMs } = periodSpanOf(period)
  const days = (untilMs - fromMs) / dayMs
  const axis = days <= daysMost ? 'Day' : days <= weeksMost * 7 ? 'Week from' : 'Month'
  const starts: number[] = []
  for (let at = startOf(axis, fromMs); at < untilMs; at = nextStepStart(axis, at)) starts.push(at)
  const short = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'UTC',
    ...(axis === 'Month'
      ? { month: 'short', year: 'numeric' }
      : { day: 'numeric', month: 'short' }),
  })
  return {
    axis,
    // The first week or month may begin before the period.
    labels: starts.map((at) => short.format(Math.max(at, fromMs))),
    count(times) {
      const counts = starts.map(() => 0)
      for (const time of times) {
        const atMs = new Date(time).getTime()
        const place = starts.findLastIndex((start) => start <= atMs)
        if (atMs < untilMs && place >= 0) counts[place]!++
      }
      return counts
    },
  }
}

function startOf(axis: TimeAxis['axis'], atMs: number): number {
  const date = new Date(atMs)
  if (axis === 'Month') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
  if (axis === 'Week from') return atMs - ((date.getUTCDay() + 6) % 7) * dayMs
  return atMs
}

function nextStepStart(axis: TimeAxis['axis'], atMs: number): number {
  if (axis === 'Day') return atMs + dayMs
  if (axis === 'Week from') return atMs + 7 * dayMs
  const date = new Date(atMs)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}
