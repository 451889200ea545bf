import { describeConfig, loadConfig } from '../../config/config.ts'
import type { CliCommand } from '../command.ts'
import { configTable } from './config-table.ts'

export const configCommand: CliCommand = {
  usage: 'config [--markdown]',
  about: 'Show every setting: its value, its default if that differs, and its meaning.',
  options: { markdown: { help: 'Print the table of names and defaults for the README.' } },
  examples: ['PORT=9000 troupe config', 'troupe config | grep NATS'],
  async run({ switches }) {
    if (switches.has('markdown')) {
      console.log(configTable())
      return 0
    }
    const rows = describeConfig(loadConfig())
    const width = Math.max(...rows.map((row) => row.name.length))
    for (const { name, value, usual, help } of rows.map(withUsual)) {
      console.log(`${name.padEnd(width)}  ${value === '' ? '–' : value}${usual}`)
      console.log(`${' '.repeat(width)}  ${help}`)
    }
    return 0
  },
}

function withUsual(row: ReturnType<typeof describeConfig>[number]) {
  const changed = process.env[row.name] !== undefined && row.value !== row.fallback
  return {
    ...row,
    usual: changed ? `  (default: ${row.fallback === '' ? '–' : row.fallback})` : '',
  }
}
