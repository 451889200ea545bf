/** Reads files of records as a stream of rows with their line numbers. */
import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { z } from 'zod'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { CellError } from './cell-values.ts'
import type { TableHead } from './table-head.ts'

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

export async function* jsonRows(text: AsyncIterable<string>): AsyncIterable<FileRow> {
  let line = 0
  for await (const row of lines(text)) {
    line++
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

async function* lines(text: AsyncIterable<string>): AsyncIterable<string> {
  let rest = ''
  for await (const chunk of text) {
    const parts = `${rest}${chunk}`.split('\n')
    rest = parts.pop() ?? ''
    if (rest.length > rowChars) throw new Error(`a line has over ${rowChars} characters`)
    yield* parts
  }
  if (rest !== '') yield rest
}

const csvRow = z.object({ record: z.array(z.string()), info: z.object({ lines: z.int() }) })

/** Reading stops at the first line that is not valid CSV. */
export async function* csvRows(
  text: AsyncIterable<string>,
  { delimiter, line: headLine }: TableHead,
  readRow: (cells: readonly string[]) => unknown,
): AsyncIterable<FileRow> {
  const parser = parse({
    delimiter,
    from_line: headLine,
    info: true,
    max_record_size: rowChars,
    skip_empty_lines: true,
  })
  const input = Readable.from(text)
  input.on('error', (error) => parser.destroy(error))
  let isHead = true
  try {
    for await (const found of input.pipe(parser)) {
      const { record, info } = csvRow.parse(found)
      // Spreadsheets write rows of empty cells after the last one.
      if (!isHead && record.some((cell) => cell.trim() !== '')) {
        yield { line: info.lines, ...valueOf(record, readRow) }
      }
      isHead = false
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    yield { line: Number(error['lines'] ?? 0), problem: `is not CSV: ${error.message}` }
  }
}

function valueOf(
  cells: readonly string[],
  readRow: (cells: readonly string[]) => unknown,
): Omit<FileRow, 'line'> {
  try {
    return { value: readRow(cells) }
  } catch (error) {
    if (!(error instanceof CellError)) throw error
    return { problem: error.message }
  }
}
