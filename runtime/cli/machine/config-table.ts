/** The table of settings for the README; a test compares the two. */
import { describeConfig, loadConfig } from '../../config/config.ts'

export function configTable(): string {
  const rows = describeConfig(loadConfig({})).map(
    ({ name, fallback, help }) => `| \`${name}\` | ${fallback} | ${help} |`,
  )
  return ['| setting | default | what it is |', '|---|---|---|', ...rows].join('\n')
}
