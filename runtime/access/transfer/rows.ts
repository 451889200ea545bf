/** Reads files of records as a stream of rows with their line numbers. */
import { failureText } from '../../lib/text/failure-text.ts'
import type { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { z } from 'zod'
import type { AreaDefinition } from '../../../proto/access/areas/define-area.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { rowFromCells, textFields } from './csv-cells.ts'

export const transferFormats = ['ndjson', 'csv'] as const
export type TransferFormat = (typeof transferFormats)[number]

export interface FileRow {
  readonly line: number
  /** Why the row could not be parsed. */
  readonly problem?: string
  readonly value?: unknown
}

/** JSON escapes and field names take room that a stored record does not need. */
const rowChars = 4 * limits.recordBytes

export function readRows(
  input: Readable,
  format: TransferFormat,
  area: AreaDefinition,
): AsyncIterable<FileRow> {
  return format === 'csv' ? csvRows(input, area) : jsonRows(input)
}

async function* jsonRows(input: Readable): AsyncIterable<FileRow> {
  let line = 0
  for await (const text of lines(input)) {
    line++
    const row = line === 1 ? text.replace(/^\uFEFF/, '') : text
    if (row.trim() === '') continue
    yield { line, ...parseRow(row) }
  }
}

function parseRow(text: string): Omit<FileRow, 'line'> {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return { problem: 'is not JSON' }
  }
}

async function* lines(input: Readable): AsyncIterable<string> {
  let rest = ''
  for await (const chunk of input.setEncoding('utf8')) {
    const parts = `${rest}${String(chunk)}`.split('\n')
    rest = parts.pop() ?? ''
    if (rest.length > rowChars) throw new Error(`a line has over ${rowChars} characters`)
    yield* parts
  }
  if (rest !== '') yield rest
}

const csvRow = z.object({
  record: z.record(z.string(), z.string()),
  info: z.object({ lines: z.int() }),
})

/** Reading stops at the first line that is not valid CSV. */
async function* csvRows(input: Readable, area: AreaDefinition): AsyncIterable<FileRow> {
  const texts = textFields(area)
  const parser = parse({ columns: true, bom: true, info: true, max_record_size: rowChars })
  input.on('error', (error) => parser.destroy(error))
  try {
    for await (const found of input.pipe(parser)) {
      const { record, info } = csvRow.parse(found)
      yield { line: info.lines, ...cells(record, texts) }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    yield { line: Number(error['lines'] ?? 0), problem: `is not CSV: ${error.message}` }
  }
}

function cells(
  record: Readonly<Record<string, string>>,
  texts: ReadonlySet<string>,
): Omit<FileRow, 'line'> {
  try {
    return { value: rowFromCells(record, texts) }
  } catch (error) {
    return { problem: failureText(error) }
  }
}
