/**
 * Cells of a spreadsheet. A text that a spreadsheet would interpret as a formula is written with a
 * leading quote, which reading removes; so is a text that starts with such a quote itself.
 */
import { z } from 'zod'
import type { AreaDefinition } from '../../../proto/access/areas/define-area.ts'
import { commonFields } from '../../../proto/access/areas/define-area.ts'

const formula = /^'*[=+\-@\t\r]/
const quotedFormula = /^'+[=+\-@\t\r]/

export function toCsvCell(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return formula.test(text) ? `'${text}` : text
}

export const fromCsvCell = (cell: string): string =>
  quotedFormula.test(cell) ? cell.slice(1) : cell

/** Fields whose cells contain plain text; the others contain JSON. */
export function textFields({ record }: AreaDefinition): ReadonlySet<string> {
  const { properties = {} } = z.toJSONSchema(record, { io: 'input', unrepresentable: 'any' })
  const texts = Object.entries(properties).filter(
    ([, field]) => typeof field === 'object' && field.type === 'string',
  )
  return new Set([...commonFields, ...texts.map(([name]) => name)])
}

/** Empty cells are absent fields. Throws an error that says what is wrong. */
export function rowFromCells(
  cells: Readonly<Record<string, string>>,
  texts: ReadonlySet<string>,
): Readonly<Record<string, unknown>> {
  const filled = Object.entries(cells).filter(([, cell]) => cell !== '')
  return Object.fromEntries(
    filled.map(([name, cell]) => {
      const text = fromCsvCell(cell)
      return [name, texts.has(name) ? text : parseCell(name, text)] as const
    }),
  )
}

function parseCell(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${name} must be JSON: a number, true, false, a list or an object`)
  }
}
