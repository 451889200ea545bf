/**
 * The configuration: environment variables only, one frozen table. `troupe config` prints it, the
 * README of `cli/` lists it. An invalid value stops the start with one line that names it.
 */
import { homedir, hostname, totalmem } from 'node:os'
import { join } from 'node:path'
import { limits } from '../../proto/limits.ts'
import { agentSettings } from './agent-settings.ts'
import { modelSettings } from '../accounts/credentials/settings.ts'
import { webhookSettings } from '../webhooks/settings.ts'
import { isSealKeys } from '../accounts/seal/seal-keys.ts'
import {
  ConfigError,
  countSetting,
  dirSetting,
  flagSetting,
  listSetting,
  oneOfSetting,
  portSetting,
  secretSetting,
  textSetting,
  tokenSetting,
  urlSetting,
  type Setting,
} from './setting.ts'

const GiB = 2 ** 30

/** `0.0.0.0`, `::` and other spellings of them. */
const everyAddress = /^[0.:]+$/

/** A headful session takes less than half a GiB on a plain page, including its desktop. */
const sessionsByMemory = Math.max(2, Math.min(50, Math.floor((totalmem() / GiB) * 2)))

export const settingsTable = {
  PORT: portSetting(8080, 'Port of the gateway; 0 takes a free one.'),
  HOST: textSetting(
    '127.0.0.1',
    'Address the gateway listens on. Off loopback the development key is refused.',
  ),
  SERVER_ENGINE: oneOfSetting(
    ['auto', 'uws', 'node'],
    'The HTTP and WebSocket server: `uws` is uWebSockets.js, `node` is node:http with ws; auto: uws if its native build loads.',
  ),
  PUBLIC_URL: urlSetting(
    '',
    'How clients reach the gateway through a reverse proxy (https://…). The development key is then refused.',
  ),
  ALLOWED_ORIGINS: listSetting(
    [],
    'Origins of web pages that may open sockets, besides the gateway’s own; comma-separated.',
  ),
  DEV_KEY: secretSetting(
    'A development key besides that of DATA_DIR/dev.key, for clients on this machine; `npm start` sets the well-known one.',
  ),
  ALLOW_DEV_KEY: flagSetting(
    false,
    'Accept the development key off loopback and behind a reverse proxy too.',
  ),
  ACCESS_SINGLE_OPERATOR: flagSetting(
    false,
    'Scoped access with one operator: requesters may also review, and every such decision is marked.',
  ),
  WS_REQUIRE_KEY: oneOfSetting(
    ['remote', 'always', 'never'],
    'Who needs a key for /ws?sessionId= of a session created by the official SDK, which sends none: clients on other machines or behind a proxy, all, or none. For other sessions, all do.',
  ),
  DATA_DIR: {
    ...dirSetting(
      join(homedir(), '.troupe'),
      'Folder of all stored data: the store, credentials, browser profiles.',
    ),
    shown: '~/.troupe',
  },
  SEAL_KEY: secretSetting(
    'Key that encrypts stored secrets: 32 bytes in base64, the same on all hosts; else the file DATA_DIR/seal.key. With several keys, comma-separated (in the file: one per line), the first encrypts and all decrypt.',
    { fits: isSealKeys, expected: 'use what `openssl rand -base64 32` prints' },
  ),
  NODE_ID: {
    ...tokenSetting(
      defaultNodeId(),
      'Name of this host, unique in the service. Letters, digits, - and _.',
    ),
    shown: 'the host name',
  },
  NATS_URL: textSetting(
    '',
    'nats://host:4222[,…] of your own NATS; empty: `troupe up` starts a private one.',
  ),
  NATS_USER: textSetting('', 'User for NATS_URL.'),
  NATS_PASSWORD: secretSetting('Password for NATS_URL.'),
  NATS_TOKEN: secretSetting('Token for NATS_URL.'),
  NATS_NKEY_FILE: textSetting('', 'File with an nkey seed for NATS_URL.'),
  NATS_CREDS_FILE: textSetting('', 'Credentials file for NATS_URL.'),
  NATS_CA_FILE: textSetting('', 'CA file; switches TLS on for NATS_URL.'),
  NATS_CERT_FILE: textSetting('', 'Client certificate for NATS_URL.'),
  NATS_CERT_KEY_FILE: textSetting('', 'Key of the client certificate.'),
  NATS_SERVER_BIN: textSetting('nats-server', 'The nats-server that `troupe up` runs.'),
  CHROMIUM_BIN: textSetting('chromium', 'The Chromium that sessions run.'),
  ISOLATION: oneOfSetting(
    ['auto', 'namespaces', 'none'],
    'Isolation of browsers from their host: `namespaces` created by bubblewrap, or none; auto: namespaces if this machine supports them.',
  ),
  NETWORK_ISOLATION: oneOfSetting(
    ['auto', 'on', 'off'],
    'Whether each browser has its own network, whose only exit leads to the public internet; auto: if others can reach the service.',
  ),
  ISOLATION_I_TRUST_ALL_KEYS: flagSetting(
    false,
    'Start without namespaces although others can reach the service: every owner of a key can then read the files of this host.',
  ),
  CHROMIUM_SANDBOX: oneOfSetting(
    ['on', 'off'],
    'Chromium’s own sandbox; a service that others can reach does not start without it, unless this is off.',
  ),
  POOL_HEADLESS: countSetting(2, 'Warm headless browsers kept ready.'),
  POOL_HEADFUL: countSetting(2, 'Warm headful browsers kept ready, each with its own display.'),
  MAX_SESSIONS: {
    ...countSetting(sessionsByMemory, 'Maximum number of sessions at once on this host.', 1),
    shown: '2 per GiB of memory, at most 50',
  },
  SESSION_MEMORY_MB: countSetting(
    4096,
    'Memory limit of one session’s browser, in MiB: beyond it, the session is ended; 0: no limit.',
  ),
  SESSION_DISK_MB: countSetting(
    4096,
    'Disk limit of one session’s files (profile, downloads, uploads), in MiB: beyond it, the session is ended; 0: no limit.',
  ),
  TENANT_SHARE_PERCENT: countSetting(
    75,
    'Share of the service’s sessions that one tenant may have at once, in percent, if another tenant has a key; 100: no limit.',
    1,
  ),
  MAX_DURATION_MINUTES: countSetting(
    0,
    'Longest max_duration of a new session, in minutes; 0: no limit, -1 is allowed too.',
  ),
  MAX_IDLE_MINUTES: countSetting(
    0,
    'Longest idle_timeout of a new session, in minutes; 0: no limit, -1 is allowed too.',
  ),
  QUEUE_SIZE: countSetting(64, 'Callers that may wait for a browser of this host.'),
  QUEUE_WAIT_SECONDS: countSetting(30, 'How long a caller waits before 429.'),
  DATA_HOST: textSetting('127.0.0.1', 'Address the node agent’s data port listens on.'),
  DATA_PORT: portSetting(0, 'Data port of the node agent; 0 takes a free one.'),
  DATA_URL: urlSetting(
    '',
    'How gateways on other hosts reach the data port, if not http://DATA_HOST:DATA_PORT.',
  ),
  RETENTION_DAYS: countSetting(7, 'How long ended sessions stay readable.', 1),
  RETENTION_PER_TENANT: countSetting(
    10_000,
    'How many ended sessions stay readable for one tenant.',
    1,
  ),
  STORE_MAX_MIB: countSetting(
    limits.natsStoreMib,
    'Disk size of the store on each NATS server, in MiB; the same on all hosts. With NATS_URL, max_file_store must be at least as large.',
    limits.natsStoreMinMib,
  ),
  LEASE_SECONDS: countSetting(
    0,
    'Lease of a process, in seconds; 0: 6 with one NATS server, 15 with a cluster.',
  ),
  ...modelSettings,
  ...agentSettings,
  JOB_PRIVATE_HOSTS: listSetting(
    [],
    'Private hosts that jobs and checks may visit, such as 127.0.0.1:8000 or shop.intranet; comma-separated. They need no record in the area domains.',
  ),
  ...webhookSettings,
  LOG_LEVEL: oneOfSetting(
    ['info', 'debug', 'warn', 'error', 'silent'],
    'What is logged, as JSON lines on stderr.',
  ),
} satisfies Record<string, Setting<unknown>>

type Settings = typeof settingsTable
export type SettingName = keyof Settings
export type Config = { readonly [K in SettingName]: Settings[K]['fallback'] }

/** Throws {@link ConfigError} for the first invalid value. */
export function loadConfig(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Config {
  const entries = Object.entries(settingsTable as Record<string, Setting<unknown>>).map(
    ([name, s]) => {
      const given = env[name]?.trim()
      return [name, given === undefined || given === '' ? s.fallback : s.parse(given, name)]
    },
  )
  const config = Object.fromEntries(entries) as Config
  assertDialable(config)
  return Object.freeze(config)
}

/** Listening on every address is fine, but other hosts cannot dial such an address. */
function assertDialable({ DATA_HOST, DATA_URL }: Config): void {
  if (DATA_URL !== '' || !everyAddress.test(DATA_HOST)) return
  const expected = 'use one address of this host, or set DATA_URL to how gateways reach it'
  throw new ConfigError('DATA_HOST', DATA_HOST, expected)
}

/**
 * Rows for `troupe config` and the README: name, current value (secrets as `set`), default, help.
 */
export function describeConfig(config: Config) {
  return Object.entries(settingsTable as Record<string, Setting<unknown>>).map(([name, s]) => {
    const value = config[name as SettingName]
    return {
      name,
      value: s.secret ? (value === s.fallback ? '' : 'set') : String(value),
      fallback: s.shown ?? String(s.fallback),
      help: s.help,
    }
  })
}

function defaultNodeId(): string {
  const name = hostname()
    .replaceAll(/[^A-Za-z0-9_-]/g, '-')
    .slice(0, 64)
  return name === '' ? 'node' : name
}
