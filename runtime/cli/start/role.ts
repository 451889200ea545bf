/**
 * Runs one role in the foreground. Its program is loaded by path, so that no role is imported
 * here.
 */
import type { Role } from '../../../proto/ids.ts'
import { loadConfig, type Config, type SettingName } from '../../config/config.ts'
import type { CliCommand } from '../command.ts'
import { CommandFailed } from '../command.ts'
import { assertFreePort, assertUsableFolder, dataAddress, gatewayAddress } from './preflight.ts'
import { programPath } from '../../process/programs.ts'

const connection: readonly SettingName[] = [
  'NATS_URL',
  'NATS_USER',
  'NATS_PASSWORD',
  'NATS_TOKEN',
  'NATS_NKEY_FILE',
  'NATS_CREDS_FILE',
  'NATS_CA_FILE',
  'NODE_ID',
]

const roleDetails: Readonly<
  Record<Role, { about: string; settings: readonly SettingName[]; example: string }>
> = {
  gateway: {
    about: 'Run only a gateway, which clients connect to over REST and WebSockets.',
    settings: ['PORT', 'HOST', 'PUBLIC_URL', 'ALLOWED_ORIGINS', 'ALLOW_DEV_KEY'],
    example: 'HOST=0.0.0.0 NATS_URL=nats://10.0.0.1:4222 troupe gateway',
  },
  actors: {
    about: 'Run only an actor host, which owns sessions and takes over those of a dead host.',
    settings: ['LEASE_SECONDS', 'HOST_GRACE_SECONDS', 'RETENTION_DAYS', 'RETENTION_PER_TENANT'],
    example: 'NATS_URL=nats://10.0.0.1:4222 troupe actors',
  },
  'node-agent': {
    about: 'Run only a node agent, which keeps the warm browsers of this machine.',
    settings: [
      'DATA_DIR',
      'CHROMIUM_BIN',
      'POOL_HEADLESS',
      'MAX_SESSIONS',
      'DATA_HOST',
      'DATA_PORT',
      'DATA_URL',
    ],
    example: 'NATS_URL=nats://10.0.0.1:4222 DATA_HOST=10.0.0.2 DATA_PORT=7070 troupe node-agent',
  },
}

const preflight: Readonly<Partial<Record<Role, (config: Config) => Promise<void>>>> = {
  gateway: (config) => assertFreePort(config, gatewayAddress(config)),
  async 'node-agent'(config) {
    await assertUsableFolder(config)
    await assertFreePort(config, dataAddress(config))
  },
}

export function roleCommand(name: Role): CliCommand {
  const { about, settings, example } = roleDetails[name]
  return {
    usage: name,
    about: `${about} Stops with Ctrl-C.`,
    settings: [...connection, ...settings],
    examples: [example],
    async run() {
      if (loadConfig().NATS_URL === '') {
        throw new CommandFailed(
          `\`troupe ${name}\` joins a service: set NATS_URL, or start everything with \`npm run troupe -- up\`.`,
        )
      }
      await preflight[name]?.(loadConfig())
      process.setSourceMapsEnabled(true)
      await import(programPath(name))
      return 0
    },
  }
}
