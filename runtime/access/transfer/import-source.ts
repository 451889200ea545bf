/** Opens a file of records: its encoding, its columns if it is a table, and its rows. */
import type { Readable } from 'node:stream'
import type { AreaDefinition } from '../../../proto/access/areas/define-area.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { describeColumns, tableColumns, type ColumnReport } from './columns.ts'
import { decodedText, encodingOf, type FileEncoding } from './file-text.ts'
import { csvRows, jsonRows, type FileRow, type TransferFormat } from './rows.ts'
import { delimiterNames, readTableHead } from './table-head.ts'
import { tableRowReader, type TableDefaults } from './table-rows.ts'

export interface ImportFile {
  readonly format: TransferFormat
  /** Opens the file at its beginning; it is read several times. */
  readonly open: () => Readable
  /** Unknown columns are left out instead of being kept as custom fields or refused. */
  readonly ignoreUnknown?: boolean
  readonly defaults?: TableDefaults
}

/** How the file was understood, for whoever imports it. */
export interface SourceReport {
  readonly encoding: FileEncoding
  /** Of a table: what separates its columns, and where they go. */
  readonly table?: ColumnReport & { readonly separatedBy: string }
}

export interface ImportSource {
  readonly report?: SourceReport
  /** Why no row can be read. */
  readonly problems: readonly { readonly line: number; readonly text: string }[]
  readonly rows: () => AsyncIterable<FileRow>
}

export async function openImport(file: ImportFile, area: AreaDefinition): Promise<ImportSource> {
  const { format, open, ignoreUnknown = false, defaults = {} } = file
  let encoding: FileEncoding
  try {
    encoding = await encodingOf(open())
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { problems: [{ line: 1, text: error.message }], rows: noRows }
  }
  const text = () => decodedText(open(), encoding)
  if (format === 'ndjson')
    return { report: { encoding }, problems: [], rows: () => jsonRows(text()) }
  const head = await readTableHead(text(), area)
  const { columns, problems } = tableColumns(area, head.headers, ignoreUnknown)
  const readRow = tableRowReader(area, columns, defaults)
  const separatedBy = delimiterNames[head.delimiter] ?? `"${head.delimiter}"`
  return {
    report: { encoding, table: { ...describeColumns(area, columns), separatedBy } },
    problems: problems.map((problem) => ({ line: head.line, text: problem })),
    rows: () => csvRows(text(), head, readRow),
  }
}

async function* noRows(): AsyncIterable<FileRow> {}
