/** Tables of data, which get a line for each row. */
import type { AnyElement } from '../../any-element.ts'

/** Beyond this length of a cell on average, a table arranges a page. */
const cellCharsMax = 120

export const isDataTable = (table: AnyElement) =>
  (table.rows?.length ?? 0) >= 2 &&
  table.querySelector('table') === null &&
  (table.textContent ?? '').length <= cellCharsMax * table.querySelectorAll('td, th').length
