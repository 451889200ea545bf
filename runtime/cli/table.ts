/** The commands of `troupe`. Each is a file, loaded on use, so that `up` stays small. */
import type { CommandTable } from './completion/words.ts'

export const table: CommandTable = {
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
  browser: {
    about: 'Drive a browser from this shell: open, click, type, snapshot, screenshot …',
    load: async () => (await import('./browser/browser.ts')).browserCommandGroup,
  },
  profiles: {
    about:
      'Manage what sessions keep for later ones: list, show, save, restore, copy, rename, remove',
    load: async () => (await import('./sessions/profiles.ts')).profilesCommandGroup,
  },
  logins: {
    about: 'Manage logins with sites: list, add, change, remove',
    load: async () => (await import('./sessions/logins.ts')).loginsCommandGroup,
  },
  extensions: {
    about: 'Manage extensions of Chromium that sessions can have: list, add, remove',
    load: async () => (await import('./sessions/extensions.ts')).extensionsCommandGroup,
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
  support: {
    about: 'Write one file for a maintainer, without secrets',
    load: async () => (await import('./machine/support.ts')).supportCommand,
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
