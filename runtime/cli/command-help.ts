/** The texts of `troupe <command> --help`, which name the settings that a command uses. */
import { settingsTable } from '../config/config.ts'
import type { Setting } from '../config/setting.ts'
import { isCommandGroup, type CliCommand, type CliCommandGroup } from './command.ts'
import { alignColumns } from './help.ts'

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
    const { help, fallback, shown }: Setting<unknown> = settingsTable[name]
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
