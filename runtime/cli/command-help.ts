/** The texts of `troupe <command> --help`, which name the settings that a command uses. */
import { settingsTable } from '../config/config.ts'
import type { Setting } from '../config/setting.ts'
import { isCommandGroup, type CliCommand, type CliCommandGroup } from './command.ts'
import { alignColumns } from './help.ts'
import { pastableExample, programName } from './terminal/program-name.ts'

export function commandHelp(name: string, found: CliCommand | CliCommandGroup): string {
  return isCommandGroup(found) ? familyHelp(name, found) : singleHelp(found)
}

function familyHelp(name: string, family: CliCommandGroup): string {
  const rows = Object.values(family.commands).map(
    (c) => [`${programName} ${c.usage}`, c.about] as const,
  )
  return [
    family.about,
    '',
    'Usage:',
    alignColumns(rows),
    '',
    `\`${programName} ${name} <command> --help\` shows details.`,
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
  const examples = (command.examples ?? []).map((line) => `  ${pastableExample(line)}`)
  return [
    command.about,
    ...(command.more === undefined ? [] : [command.more]),
    '',
    `Usage: ${programName} ${command.usage}`,
    ...section('Options', options),
    ...section('Environment', [...environment, ...Object.entries(command.variables ?? {})]),
    ...(examples.length > 0 ? ['', 'Examples:', ...examples] : []),
  ].join('\n')
}

function section(title: string, rows: readonly (readonly [string, string])[]): string[] {
  return rows.length > 0 ? ['', `${title}:`, alignColumns(rows)] : []
}
