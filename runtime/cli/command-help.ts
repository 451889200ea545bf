/** The texts of `troupe <command> --help`, which name the settings that a command uses. */
import { settingsTable, type SettingName } from '../config/config.ts'
import type { Setting } from '../config/setting.ts'
import type { CliCommand, CliCommandGroup } from './command.ts'
import { helpText } from './help-text.ts'

export const commandHelp = (name: string, found: CliCommand | CliCommandGroup): string =>
  helpText(name, found, (names) => names.map(settingRow))

function settingRow(name: SettingName): readonly [string, string] {
  const { help, fallback, shown }: Setting<unknown> = settingsTable[name]
  const usual = shown ?? String(fallback)
  return [name, `${help}${usual === '' ? '' : ` (default: ${usual})`}`]
}
