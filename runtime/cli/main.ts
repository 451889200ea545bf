#!/usr/bin/env node
/**
 * `troupe`: the table of commands. Each command is a file, loaded on use, so that `up` stays small.
 */
import {
  isCommandGroup,
  parseInput,
  UsageError,
  type CliCommand,
  type CliCommandGroup,
} from './command.ts'
import type { CommandTable } from './completion/words.ts'
import { nodeRefusal } from './node-version.ts'
import { programName } from './terminal/program-name.ts'

const table: CommandTable = {
  up: {
    about: 'Start the whole service on this machine',
    load: async () => (await import('./start/up.ts')).upCommand,
  },
  gateway: {
    about: 'Run only a gateway: REST, CDP and everything clients connect to',
    load: async () => (await import('./start/role.ts')).roleCommand('gateway'),
  },
  actors: {
    about: 'Run only an actor host: the state of sessions and tasks',
    load: async () => (await import('./start/role.ts')).roleCommand('actors'),
  },
  'node-agent': {
    about: 'Run only a node agent: the browsers of this machine',
    load: async () => (await import('./start/role.ts')).roleCommand('node-agent'),
  },
  cluster: {
    about: 'Prepare a service on several hosts',
    load: async () => (await import('./cluster/cluster.ts')).clusterCommandGroup,
  },
  keys: {
    about: 'Create, list and revoke API keys',
    load: async () => (await import('./accounts/keys.ts')).keysCommandGroup,
  },
  secret: {
    about: 'Replace the secret that signs cdp_urls, links and tokens',
    load: async () => (await import('./accounts/secret.ts')).secretCommandGroup,
  },
  credentials: {
    about: 'Manage accounts with model providers: set, log in, list, remove, reseal',
    load: async () => (await import('./accounts/credentials.ts')).credentialsCommandGroup,
  },
  audit: {
    about: 'Show who used the service; verify and export the audit of scoped access',
    load: async () => (await import('./access/store/audit.ts')).auditCommandGroup,
  },
  access: {
    about: 'Manage scoped access for clients: people, reviews, grants, tokens',
    load: async () => (await import('./access/access.ts')).accessCommandGroup,
  },
  status: {
    about: 'Show whether the service can be used, and its load',
    load: async () => (await import('./overview/status.ts')).statusCommand,
  },
  sessions: {
    about: 'List, show, open and end sessions',
    load: async () => (await import('./sessions/sessions.ts')).sessionsCommandGroup,
  },
  'cdp-port': {
    about: 'Open a local port without a key to one session, for Selenium and browserURL',
    load: async () => (await import('./cdp-port/cdp-port.ts')).cdpPortCommand,
  },
  tasks: {
    about: 'Run, list, show, watch and cancel web tasks',
    load: async () => (await import('./tasks/tasks.ts')).tasksCommandGroup,
  },
  hosts: {
    about: 'List the processes of the service; drain a browser host',
    load: async () => (await import('./hosts/hosts.ts')).hostsCommandGroup,
  },
  usage: {
    about: 'Show what each tenant has used',
    load: async () => (await import('./overview/usage.ts')).usageCommand,
  },
  webhooks: {
    about: 'Manage webhooks for sessions and web tasks',
    load: async () => (await import('./webhooks/webhooks.ts')).webhooksCommandGroup,
  },
  records: {
    about: 'Import and export records of clients',
    load: async () => (await import('./access/store/records.ts')).recordsCommandGroup,
  },
  watch: {
    about: 'Follow web tasks live',
    load: async () => (await import('./sessions/watch.ts')).watchCommand,
  },
  backup: {
    about: 'Write all stored data of the service to one file',
    load: async () => (await import('./backup/backup.ts')).backupCommand,
  },
  restore: {
    about: 'Create a service from a backup',
    load: async () => (await import('./backup/restore.ts')).restoreCommand,
  },
  config: {
    about: 'Show the settings in force',
    load: async () => (await import('./machine/config.ts')).configCommand,
  },
  doctor: {
    about: 'Check this machine and say how to fix problems',
    load: async () => (await import('./machine/doctor.ts')).doctorCommand,
  },
  completion: {
    about: 'Print a script that completes commands with Tab: bash, zsh, fish',
    load: async () => (await import('./completion/completion.ts')).completionCommand(table),
  },
  version: {
    about: 'Show the version',
    load: async () => (await import('./version.ts')).versionCommand,
  },
}

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
  if (!row) return reportMisuse(`there is no command "${first}"`, '')
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
      first ? `"${first}" is not one of ${offered}` : `give one of ${offered}`,
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

function reportMisuse(what: string, command: string): number {
  console.error(`troupe: ${what}. See \`${programName} ${command ? `${command} ` : ''}--help\`.`)
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
