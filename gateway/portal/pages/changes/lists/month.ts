/** The days of a month in weeks from Monday. Pure; a day is written as `2026-11-22`. */
import { dayMs, utcDay } from '../../../../../proto/units.ts'

export interface CalendarMonth {
  /** For example `2026-11`. */
  readonly key: string
  readonly label: string
  readonly before: string
  readonly after: string
  readonly weeks: readonly (readonly string[])[]
}

const labels = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** A month of the years 2000 to 2199; otherwise that of `today`. */
export function calendarMonthOf(asked: string | undefined, today: string): CalendarMonth {
  const isMonth = asked !== undefined && /^2[01]\d\d-(0[1-9]|1[0-2])$/.test(asked)
  const key = isMonth ? asked : today.slice(0, 7)
  const [year = 0, month = 0] = key.split('-').map(Number)
  const firstMs = Date.UTC(year, month - 1, 1)
  const lastMs = Date.UTC(year, month, 0)
  const weeks: string[][] = []
  for (let ms = mondayOf(firstMs); ms <= lastMs; ms += 7 * dayMs) {
    weeks.push(Array.from({ length: 7 }, (_, i) => utcDay(ms + i * dayMs)))
  }
  const other = (by: number) => utcDay(Date.UTC(year, month - 1 + by, 1)).slice(0, 7)
  return { key, label: labels.format(firstMs), before: other(-1), after: other(1), weeks }
}

const mondayOf = (ms: number) => ms - ((new Date(ms).getUTCDay() + 6) % 7) * dayMs
