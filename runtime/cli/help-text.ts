/** The layout of `troupe <command> --help`; knows no setting. */
import type { SettingName } from '../config/config.ts'
import { isCommandGroup, type CliCommand, type CliCommandGroup } from './command.ts'
import { alignColumns } from './help.ts'
import { pastableExample, programName } from './terminal/program-name.ts'

/** What each setting is, for the section about the environment. */
export type SettingRows = (
  names: readonly SettingName[],
) => readonly (readonly [name: string, text: string])[]

export function helpText(
  name: string,
  found: CliCommand | CliCommandGroup,
  settingRows: SettingRows,
): string {
  return isCommandGroup(found) ? familyHelp(name, found) : singleHelp(found, settingRows)
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

function singleHelp(command: CliCommand, settingRows: SettingRows): string {
  const options = Object.entries(command.options ?? {}).map(
    ([name, { value, help }]) => [`--${name}${value ? ` ${value}` : ''}`, help] as const,
  )
  const environment = settingRows(command.settings ?? [])
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
