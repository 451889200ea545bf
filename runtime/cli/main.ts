#!/usr/bin/env node
/** `troupe`: finds the command in the table, and runs it or says what is wrong with the line. */
import {
  isCommandGroup,
  parseInput,
  UsageError,
  type CliCommand,
  type CliCommandGroup,
} from './command.ts'
import { nearestName } from '../lib/text/nearest-name.ts'
import { nodeRefusal } from './node-version.ts'
import { table } from './table.ts'
import { programName } from './terminal/program-name.ts'

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
  return await perform(first, await row.load(), rest)
}

/** Commands that warn of misspelt settings; with all commands, the warning would be repeated too often. */
const warnsOfMisspelt: ReadonlySet<string> = new Set([...services, 'config', 'doctor'])

async function tellMisspelt(): Promise<void> {
  const { misspeltSettings } = await import('../config/misspelt.ts')
  for (const { name, meant } of misspeltSettings(process.env)) {
    console.error(`troupe: there is no setting ${name}; did you mean ${meant}?`)
  }
}

async function perform(
  name: string,
  found: CliCommand | CliCommandGroup,
  argv: readonly string[],
): Promise<number> {
  const [first, ...rest] = argv
  if (isCommandGroup(found) && first !== undefined && Object.hasOwn(found.commands, first)) {
    return await perform(`${name} ${first}`, found.commands[first]!, rest)
  }
  if (argv.includes('--help') || argv.includes('-h')) {
    const { commandHelp } = await import('./command-help.ts')
    console.log(commandHelp(name, found))
    return 0
  }
  if (isCommandGroup(found)) {
    const offered = Object.keys(found.commands).join(', ')
    return reportMisuse(
      first
        ? `"${first}" is not one of ${offered}${meant(first, found.commands)}`
        : `give one of ${offered}`,
      name,
    )
  }
  try {
    return await found.run(parseInput(found, argv))
  } catch (error) {
    if (error instanceof UsageError) return reportMisuse(error.message, name)
    throw error
  }
}

function meant(given: string, offered: object): string {
  const nearest = nearestName(given, Object.keys(offered), given.length < 5 ? 1 : 2)
  return nearest === undefined ? '' : `; did you mean ${nearest}?`
}

function reportMisuse(what: string, command: string): number {
  const end = what.endsWith('?') ? '' : '.'
  console.error(
    `troupe: ${what}${end} See \`${programName} ${command ? `${command} ` : ''}--help\`.`,
  )
  return 2
}

function fail(line: string): number {
  console.error(`troupe: ${line}`)
  return 1
}

/**
 * Errors whose message is for the person at the terminal. Any other error is a bug and shows its
 * stack.
 */
const plain = [
  'CommandFailed',
  'ConfigError',
  'NatsUnusable',
  'NoNativeServer',
  'PortTaken',
  'ServiceError',
  'StartFailed',
  'InsufficientIsolation',
  'AlreadyRunning',
  'StoppedEarly',
]

// The reader of our output has closed it, as `head` does.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    if (!services.has(process.argv[2] ?? '')) process.exit(0)
  })
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    const known = error instanceof Error && plain.includes(error.name)
    fail(known ? error.message : `unexpected: ${(error as Error)?.stack}`)
    // Work in progress may still be retrying, and its result is no longer needed.
    process.exit(1)
  },
)
