/** The texts of `--help`. */
import { settingsTable } from '../config/config.ts'
import { isCommandGroup, type CliCommand, type CliCommandGroup } from './command.ts'

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
    'Usage: troupe <command> [options]',
    '',
    alignColumns(Object.entries(table).map(([name, { about }]) => [name, about])),
    '',
    '`troupe <command> --help` shows details. Settings are environment variables: `troupe config`.',
  ].join('\n')
}

export function commandHelp(name: string, found: CliCommand | CliCommandGroup): string {
  return isCommandGroup(found) ? familyHelp(name, found) : singleHelp(found)
}

function familyHelp(name: string, family: CliCommandGroup): string {
  const rows = Object.values(family.commands).map((c) => [`troupe ${c.usage}`, c.about] as const)
  return [
    family.about,
    '',
    'Usage:',
    alignColumns(rows),
    '',
    `\`troupe ${name} <command> --help\` shows details.`,
  ].join('\n')
}

function singleHelp(command: CliCommand): string {
  const options = Object.entries(command.options ?? {}).map(
    ([name, { value, help }]) => [`--${name}${value ? ` ${value}` : ''}`, help] as const,
  )
  const environment = (command.settings ?? []).map((name) => {
    const { help, fallback, shown }: { help: string; fallback: unknown; shown?: string } =
      settingsTable[name]
    const usual = shown ?? String(fallback)
    return [name, `${help}${usual === '' ? '' : ` (default: ${usual})`}`] as const
  })
  return [
    command.about,
    ...(command.more === undefined ? [] : [command.more]),
    '',
    `Usage: troupe ${command.usage}`,
    ...section('Options', options),
    ...section('Environment', [...environment, ...Object.entries(command.variables ?? {})]),
    ...(command.examples ? ['', 'Examples:', ...command.examples.map((line) => `  ${line}`)] : []),
  ].join('\n')
}

function section(title: string, rows: readonly (readonly [string, string])[]): string[] {
  return rows.length > 0 ? ['', `${title}:`, alignColumns(rows)] : []
}
