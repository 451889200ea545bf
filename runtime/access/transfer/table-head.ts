/** Finds the headers of a table and what separates its columns. */
import { CsvError } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import type { AreaDefinition } from '../../../proto/access/areas/define-area.ts'
import { knownColumns } from './columns.ts'

export interface TableHead {
  readonly delimiter: string
  readonly headers: readonly string[]
  /** The line of the headers. */
  readonly line: number
}

const delimiters = [',', ';', '\t', '|'] as const
export const delimiterNames: Readonly<Record<string, string>> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'bars',
}

/** Longer headers than this are cut, and then refused as not known. */
const headChars = 256 * 1024

/** The separator that gives the most known columns wins, then the one that gives the most columns. */
export async function readTableHead(
  text: AsyncIterable<string>,
  area: AreaDefinition,
): Promise<TableHead> {
  const start = await startOf(text)
  // Excel says in a first line of its own what separates the columns.
  const named = /^"?sep=(.)"?\r?\n/i.exec(start)
  const own = named?.[1] === undefined ? delimiters : [named[1]]
  const line = named ? 2 : 1
  const found = own.map((delimiter) => {
    const headers = headersOf(named ? start.slice(named[0].length) : start, delimiter)
    return { delimiter, headers, line, known: knownColumns(area, headers) }
  })
  const best = (a: (typeof found)[number], b: (typeof found)[number]) =>
    b.known - a.known || b.headers.length - a.headers.length
  return found.toSorted(best)[0]!
}

async function startOf(text: AsyncIterable<string>): Promise<string> {
  let start = ''
  for await (const chunk of text) {
    start += chunk
    if (start.length >= headChars) break
  }
  return start.slice(0, headChars)
}

function headersOf(text: string, delimiter: string): readonly string[] {
  try {
    const [headers = []] = parse(text, { delimiter, to: 1 })
    return headers.map(String)
  } catch (error) {
    if (error instanceof CsvError) return []
    throw error
  }
}
