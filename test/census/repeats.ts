/** Lines that stand in several places. */

/** So many lines in a row make a repeat. */
const rowLines = 6

/**
 * How many lines of the files are part of a row of six that also stands elsewhere. Blank lines,
 * indentation and lines without a word do not count, so that ends of blocks alone are no repeat.
 */
export function repeatedLines(texts: readonly string[]): number {
  const files = texts.map((text) => text.split('\n').map(normal).filter(isTelling))
  const seen = new Map<string, number>()
  const rowsOf = (lines: readonly string[]) =>
    lines.slice(rowLines - 1).map((_, at) => lines.slice(at, at + rowLines).join('\n'))
  for (const row of files.flatMap(rowsOf)) seen.set(row, (seen.get(row) ?? 0) + 1)
  let repeated = 0
  for (const lines of files) {
    const isRepeated = lines.map(() => false)
    rowsOf(lines).forEach((row, at) => {
      if (seen.get(row)! > 1) isRepeated.fill(true, at, at + rowLines)
    })
    repeated += isRepeated.filter(Boolean).length
  }
  return repeated
}

const normal = (line: string) => line.trim().replaceAll(/\s+/g, ' ')
const isTelling = (line: string) =>
  /\w/.test(line) && !/^(import\b|\} from\b|\*|\/\/|\/\*)/.test(line)
