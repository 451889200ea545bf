/** Builds the row of a record from the cells of a table. */
import type { AreaDefinition } from '../../../proto/access/areas/define-area.ts'
import { fieldTypesOf } from '../../../proto/access/areas/field-type.ts'
import {
  CellError,
  cellValue,
  countryOf,
  moneyOf,
  phoneOf,
  smallestUnits,
  websiteOf,
} from './cell-values.ts'
import { foldName } from './column-names.ts'
import type { ImportColumn } from './columns.ts'
import { fromCsvCell } from './csv-cells.ts'

/** What a table does not say itself. */
export interface TableDefaults {
  readonly currency?: string
  readonly callingCode?: string
}

type Cells = Map<string, unknown>

/** Throws a `CellError` that names the column. Empty cells are absent fields. */
export function tableRowReader(
  area: AreaDefinition,
  columns: readonly ImportColumn[],
  defaults: TableDefaults,
): (cells: readonly string[]) => Readonly<Record<string, unknown>> {
  const types = fieldTypesOf(area)
  const currencyOfHeader = columns
    .filter(({ place }) => place === 'amount' || place === 'amount.value')
    .map(({ header }) => /\(([A-Z]{3})\)$/.exec(header)?.[1])[0]
  const currency = currencyOfHeader ?? defaults.currency
  const read = (place: string, text: string): unknown => {
    if (place === 'phone') return phoneOf(text, defaults.callingCode)
    if (place === 'website') return websiteOf(text)
    if (place === 'address.country') return countryOf(text)
    const type = types.get(place)
    return type ? cellValue(type, text) : text
  }
  return (cells) => {
    const row: Cells = new Map()
    for (const column of columns) {
      const text = fromCsvCell(cells[column.number - 1] ?? '')
      if (text.trim() === '') continue
      try {
        put(row, column, text, read)
      } catch (error) {
        if (!(error instanceof CellError)) throw error
        throw new CellError(`${column.header}: ${error.message}`)
      }
    }
    return finished(row, currency)
  }
}

type ReadCell = (place: string, text: string) => unknown

/** The first filled column of a field wins; what other columns say is kept as a custom field. */
function put(
  row: Cells,
  { header, number, place, custom }: ImportColumn,
  text: string,
  read: ReadCell,
) {
  if (header === '') throw new CellError(`column ${number} has a value, but no name`)
  if (place === undefined) {
    if (custom !== undefined) keep(row, custom, text)
    return
  }
  const several = place === 'email' || place === 'phone' ? text.split(/[,;]/) : [text]
  const [first = text, ...others] = several.length > 1 ? several.map((one) => one.trim()) : several
  const [field = place, part] = partOf(place, text).split('.')
  const held = part === undefined ? row.get(field) : partsOf(row, field).get(part)
  if (held === undefined) {
    const value = read(part === undefined ? field : `${field}.${part}`, first)
    if (part === undefined) row.set(field, value)
    else partsOf(row, field).set(part, value)
  }
  const rest = held === undefined ? others.join(', ') : text
  if (rest !== '' && custom !== undefined) keep(row, custom, rest)
}

/** In other systems, an address is one text, and an amount is a number. */
function partOf(place: string, text: string): string {
  if (text.startsWith('{')) return place
  if (place === 'address') return 'address.line1'
  return place === 'amount' ? 'amount.value' : place
}

/** An object that is built from several columns. */
function partsOf(row: Cells, field: string): Map<string, unknown> {
  const held = row.get(field)
  if (held instanceof Map) return held as Map<string, unknown>
  const known = typeof held === 'object' && held !== null ? Object.entries(held) : []
  const parts = new Map<string, unknown>(known)
  row.set(field, parts)
  return parts
}

const keep = (row: Cells, name: string, text: string) =>
  void partsOf(row, 'custom_fields').set(name, text)

function finished(row: Cells, currency: string | undefined): Readonly<Record<string, unknown>> {
  splitName(row)
  readAmount(row, currency)
  setOutcome(row)
  const plain = (value: unknown): unknown =>
    value instanceof Map ? Object.fromEntries(value as Map<string, unknown>) : value
  return Object.fromEntries([...row].map(([name, value]) => [name, plain(value)]))
}

/** `Ada Lovelace` and `Lovelace, Ada`. Columns for first and last name win. */
function splitName(row: Cells): void {
  const name = row.get('full_name')
  row.delete('full_name')
  if (typeof name !== 'string' || row.has('first_name') || row.has('last_name')) return
  const [last, first] = name.includes(',')
    ? name.split(/,(.*)/s)
    : [/ (\S+)$/.exec(name.trim())?.[1], name.trim().replace(/ +\S+$/, '')]
  for (const [field, text = ''] of [
    ['first_name', first],
    ['last_name', last],
  ] as const) {
    if (text.trim() !== '') row.set(field, text.trim())
  }
}

/** An amount that was written as a number, in whole units; ours as JSON is in the smallest ones. */
function readAmount(row: Cells, currency: string | undefined): void {
  const parts = row.get('amount')
  if (!(parts instanceof Map)) return
  const [value, code = currency] = [parts.get('value'), parts.get('currency')] as unknown[]
  if (typeof value !== 'string') {
    // A currency alone is no amount.
    if (value === undefined) row.delete('amount')
    return
  }
  if (typeof code !== 'string') {
    throw new CellError(
      'amount has no currency; add a column currency, or give it (--currency EUR)',
    )
  }
  const known = code.trim().toUpperCase()
  row.set('amount', { value: smallestUnits(moneyOf(value), known), currency: known })
}

/** HubSpot has the outcome of a deal in its stage; without it, each deal would be open. */
function setOutcome(row: Cells): void {
  if (row.has('status')) return
  const outcome = /^closed(won|lost)$/.exec(foldName(String(row.get('stage_id') ?? '')))?.[1]
  if (outcome !== undefined) row.set('status', outcome)
}
