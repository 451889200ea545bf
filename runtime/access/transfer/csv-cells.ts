/**
 * Cells of a spreadsheet. A text that a spreadsheet would interpret as a formula is written with a
 * leading quote, which reading removes; so is a text that starts with such a quote itself.
 */
const formula = /^'*[=+\-@\t\r]/
const quotedFormula = /^'+[=+\-@\t\r]/

export function toCsvCell(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return formula.test(text) ? `'${text}` : text
}

export const fromCsvCell = (cell: string): string =>
  quotedFormula.test(cell) ? cell.slice(1) : cell
