/** Tables with a header, and JSON for programs. */
import Table from 'cli-table3'
import { cleanText, truncateText } from '../../lib/text/clean.ts'

export interface TextColumn<R> {
  readonly head: string
  /** Undefined and empty are shown as a dash. */
  readonly cell: (row: R) => string | number | undefined
  readonly alignsRight?: boolean
  /** Longer texts are cut. */
  readonly charsMax?: number
}

const noLines = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid'].flatMap((side) =>
    ['', '-mid', '-left', '-right'].map((corner) => [side + corner, '']),
  ),
)

/** Without lines, so that `awk`, `cut` and a narrow terminal can use it. Texts are cleaned. */
export function tableText<R>(columns: readonly TextColumn<R>[], rows: readonly R[]): string {
  const table = new Table({
    head: columns.map(({ head }) => head),
    chars: { ...noLines, middle: '  ' },
    colAligns: columns.map(({ alignsRight }) => (alignsRight ? 'right' : 'left')),
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  })
  for (const row of rows) table.push(columns.map((column) => cellText(column, row)))
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
}

function cellText<R>({ cell, charsMax = Infinity }: TextColumn<R>, row: R): string {
  const value = cell(row)
  if (value === undefined || value === '') return '–'
  // Names given by clients and pages may contain control characters.
  return truncateText(cleanText(String(value)), charsMax)
}

export const prettyJson = (value: unknown): string => JSON.stringify(value, null, 2)

/** `45s`, `3m`, `2h 05m`, `4d 3h`. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return `${hours}h ${String(minutes % 60).padStart(2, '0')}m`
  return `${Math.floor(hours / 24)}d ${hours % 24}h`
}
