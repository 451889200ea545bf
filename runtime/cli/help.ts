/** The text of `troupe --help`, and tables on a terminal. */

import { programName } from './terminal/program-name.ts'

export interface HelpEntry {
  readonly about: string
}

/** Pads every column but the last, so that columns are aligned. */
export function alignColumns(rows: readonly (readonly string[])[], indent = '  '): string {
  const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0))
  return rows
    .map((row) => {
      const cells = row.map((cell, i) => (i < row.length - 1 ? cell.padEnd(widthOf(i)) : cell))
      return `${indent}${cells.join('  ')}`.trimEnd()
    })
    .join('\n')
}

export function helpOverview(table: Readonly<Record<string, HelpEntry>>): string {
  return [
    'Troupe: self-hosted cloud browsers with a warm pool, over REST, CDP and MCP, and AI tasks.',
    '',
    `Usage: ${programName} <command> [options]`,
    '',
    alignColumns(Object.entries(table).map(([name, { about }]) => [name, about])),
    '',
    `\`${programName} <command> --help\` shows details. Settings are environment variables: \`${programName} config\`.`,
  ].join('\n')
}
