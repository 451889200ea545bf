/** `troupe`: finds the command in the table, and runs it or says what is wrong with the line. */
import { nodeRefusal } from './terminal/node-version.ts'
import { table } from './table.ts'
import { fail, runProgram } from './terminal/run-program.ts'
import { meant, reportMisuse, runCommand, type HelpOf } from './terminal/run-command.ts'

/** Commands that run a service and do not end with their output. */
const services: ReadonlySet<string> = new Set(['up', 'gateway', 'actors', 'node-agent'])

async function main(argv: readonly string[]): Promise<number> {
  const refusal = nodeRefusal()
  if (refusal !== undefined) return fail(refusal)
  const [first, ...rest] = argv
  if (first === '--version') return await main(['version'])
  if (first === undefined || first === '--help' || first === '-h' || first === 'help') {
    const [about] = rest
    if (first === 'help' && about !== undefined) return await main([about, '--help'])
    const { helpOverview: overview } = await import('./help.ts')
    console.log(overview(table))
    return first === undefined ? 2 : 0
  }
  if (warnsOfMisspelt.has(first)) await tellMisspelt()
  const row = Object.hasOwn(table, first) ? table[first] : undefined
  if (!row) return reportMisuse(`there is no command "${first}"${meant(first, table)}`, '')
  return await runCommand(first, await row.load(), rest, helpOf)
}

/** Loads all settings, which takes a third of a second. */
const helpOf: HelpOf = async (name, found) =>
  (await import('./command-help.ts')).commandHelp(name, found)

/** Commands that warn of misspelt settings; with all commands, the warning would be repeated too often. */
const warnsOfMisspelt: ReadonlySet<string> = new Set([...services, 'config', 'doctor'])

async function tellMisspelt(): Promise<void> {
  const { misspeltSettings } = await import('../config/misspelt.ts')
  for (const { name, meant } of misspeltSettings(process.env)) {
    console.error(`troupe: there is no setting ${name}; did you mean ${meant}?`)
  }
}

runProgram(() => main(process.argv.slice(2)), services.has(process.argv[2] ?? ''))
