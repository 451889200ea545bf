/** Usage as a file for a spreadsheet: RFC 4180, UTF-8, a line for each row. */
import { stringify } from 'csv-stringify/sync'
import { toCsvCell } from '../access/transfer/csv-cells.ts'
import type { UsageRow } from './usage-row.ts'

/** Empty without rows. */
export const usageCsv = (rows: readonly UsageRow[]): string =>
  stringify(
    rows.map((row) => Object.fromEntries(Object.entries(row).map(([k, v]) => [k, toCsvCell(v)]))),
    { header: true },
  )
