/** Formats figures for people. */
import type { FigureUnit } from '../../../proto/access/reports/report-content.ts'

interface Kind {
  readonly unit?: FigureUnit | undefined
  readonly currency?: string | undefined
}

const locale = 'en-GB'
const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 })
const fine = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 })
const tenth = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
const time = new Intl.DateTimeFormat(locale, {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
})

/** Shown for unknown values. */
const unknownFigure = '–'

export function figureText(value: number | string | null, { unit, currency }: Kind = {}): string {
  if (value === null) return unknownFigure
  if (typeof value === 'string') return unit === 'date' ? timeText(value) : value
  switch (unit) {
    case 'percent':
      return `${number.format(value)} %`
    case 'ms':
      return value < 1_000
        ? `${number.format(Math.round(value))} ms`
        : `${tenth.format(value / 1_000)} s`
    case 'bytes':
      return bytesText(value)
    case 'money':
      return moneyText(value, currency)
    case 'ratio':
      return fine.format(value)
    default:
      return number.format(value)
  }
}

const sizes = ['bytes', 'kB', 'MB', 'GB'] as const

function bytesText(value: number): string {
  const step = Math.min(sizes.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3))
  return `${tenth.format(value / 1_000 ** step)} ${sizes[step]}`
}

function moneyText(value: number, currency = 'EUR'): string {
  try {
    const format = new Intl.NumberFormat(locale, { style: 'currency', currency })
    const { maximumFractionDigits: digits = 2 } = format.resolvedOptions()
    return format.format(value / 10 ** digits)
  } catch {
    // The code is not a known currency.
    return `${number.format(value)} ${currency}`
  }
}

/** Formats a day or a time; other text is returned as it is. */
function timeText(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return day.format(new Date(text))
  const atMs = /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(atMs) ? text : `${time.format(atMs)} UTC`
}

/** For example `+13` or `−2.1 s`; empty if there is nothing to compare with. */
export function figureChangeText(value: number | null, before: number | null, kind: Kind): string {
  if (value === null || before === null) return ''
  const change = value - before
  if (change === 0) return 'unchanged'
  const size = figureText(Math.abs(change), kind)
  return `${change > 0 ? '+' : '−'}${size}`
}
