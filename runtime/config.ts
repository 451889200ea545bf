/**
 * The configuration: environment variables only, one frozen table. `troupe config` prints it, the
 * README of `cli/` lists it. An invalid value stops the start with one line that names it.
 */
import { homedir, hostname, totalmem } from 'node:os'
import { join } from 'node:path'
import { limits } from '../proto/limits.ts'
import { agentSettings } from './agent-settings.ts'
import { modelSettings } from './credentials/settings.ts'
import { webhookSettings } from './webhooks/settings.ts'
import { isSealKeys } from './seal/seal-keys.ts'
import {
  ConfigError,
  count,
  dir,
  flag,
  list,
  oneOf,
  port,
  secret,
  text,
  token,
  url,
  type Setting,
} from './setting.ts'

const GiB = 2 ** 30

/** `0.0.0.0`, `::` and other spellings of them. */
const everyAddress = /^[0.:]+$/

/** A headful session takes less than half a GiB on a plain page, including its desktop. */
const sessionsByMemory = Math.max(2, Math.min(50, Math.floor((totalmem() / GiB) * 2)))

export const settings = {
  PORT: port(8080, 'Port of the gateway; 0 takes a free one.'),
  HOST: text(
    '127.0.0.1',
    'Address the gateway listens on. Off loopback the development key is refused.',
  ),
  SERVER_ENGINE: oneOf(
    ['auto', 'uws', 'node'],
    'What serves HTTP and sockets: `uws` is uWebSockets.js, `node` is node:http with ws; auto takes uws where a native build of it loads.',
  ),
  PUBLIC_URL: url(
    '',
    'How clients reach the gateway, when a reverse proxy stands before it (https://…). The development key is refused then.',
  ),
  ALLOWED_ORIGINS: list(
    [],
    'Origins of web pages that may open sockets, besides the gateway’s own; comma-separated.',
  ),
  DEV_KEY: secret(
    'A development key besides that of DATA_DIR/dev.key, for clients on this machine; `npm start` sets the well-known one.',
  ),
  ALLOW_DEV_KEY: flag(
    false,
    'Accept the development key off loopback and behind a reverse proxy too.',
  ),
  ACCESS_SINGLE_OPERATOR: flag(
    false,
    'Scoped access on a host of one person: who asks may review too, and every such decision is marked.',
  ),
  WS_REQUIRE_KEY: oneOf(
    ['remote', 'always', 'never'],
    'Who needs a key for /ws?sessionId= of a session that the official SDK made, which sends none: clients off this machine or behind a proxy, all, or none. For other sessions everybody does.',
  ),
  DATA_DIR: {
    ...dir(
      join(homedir(), '.troupe'),
      'Everything that is kept: the store, credentials, browser profiles.',
    ),
    shown: '~/.troupe',
  },
  SEAL_KEY: secret(
    'Key that encrypts stored secrets: 32 bytes in base64, the same on all hosts; else the file DATA_DIR/seal.key. With several keys, comma-separated (in the file: one a line), the first encrypts and all decrypt.',
    { fits: isSealKeys, expected: 'use what `openssl rand -base64 32` prints' },
  ),
  NODE_ID: {
    ...token(
      defaultNodeId(),
      'Name of this host, unique in the service. Letters, digits, - and _.',
    ),
    shown: 'the host name',
  },
  NATS_URL: text(
    '',
    'nats://host:4222[,…] of a NATS you run; empty starts a private one inside `troupe up`.',
  ),
  NATS_USER: text('', 'User for NATS_URL.'),
  NATS_PASSWORD: secret('Password for NATS_URL.'),
  NATS_TOKEN: secret('Token for NATS_URL.'),
  NATS_NKEY_FILE: text('', 'File with an nkey seed for NATS_URL.'),
  NATS_CREDS_FILE: text('', 'Credentials file for NATS_URL.'),
  NATS_CA_FILE: text('', 'CA file; switches TLS on for NATS_URL.'),
  NATS_CERT_FILE: text('', 'Client certificate for NATS_URL.'),
  NATS_CERT_KEY_FILE: text('', 'Key of the client certificate.'),
  NATS_SERVER_BIN: text('nats-server', 'The nats-server that `troupe up` runs.'),
  CHROMIUM_BIN: text('chromium', 'The Chromium that sessions run.'),
  ISOLATION: oneOf(
    ['auto', 'namespaces', 'none'],
    'What stands between browsers and their host: `namespaces` of their own, made by bubblewrap, or none; auto takes namespaces where they can be made.',
  ),
  NETWORK_ISOLATION: oneOf(
    ['auto', 'on', 'off'],
    'Whether a browser has a network of its own, with one way out that reaches the public internet alone; auto: where others can reach the service.',
  ),
  ISOLATION_I_TRUST_ALL_KEYS: flag(
    false,
    'Start without namespaces where others can reach the service: whoever has a key can then read the files of this host.',
  ),
  CHROMIUM_SANDBOX: oneOf(
    ['on', 'off'],
    'Chromium’s own sandbox; a service that others can reach does not start where it cannot be on, unless this is off.',
  ),
  POOL_HEADLESS: count(2, 'Warm headless browsers kept ready.'),
  POOL_HEADFUL: count(2, 'Warm headful browsers kept ready, each with a display of its own.'),
  MAX_SESSIONS: {
    ...count(sessionsByMemory, 'Most sessions at once on this host.', 1),
    shown: '2 per GiB of memory, at most 50',
  },
  SESSION_MEMORY_MB: count(
    4096,
    'Most memory of one session’s browser, in MiB: one that has more is ended; 0: no bound.',
  ),
  SESSION_DISK_MB: count(
    4096,
    'Most disk of one session’s files (profile, downloads, uploads), in MiB: one that has more is ended; 0: no bound.',
  ),
  TENANT_SHARE_PERCENT: count(
    75,
    'Most of the service’s sessions that one tenant may have at once, in percent, where another tenant has a key; 100 lets one have all.',
    1,
  ),
  MAX_DURATION_MINUTES: count(
    0,
    'Longest max_duration that a session may be created with, in minutes; 0: any, and none (-1).',
  ),
  MAX_IDLE_MINUTES: count(
    0,
    'Longest idle_timeout that a session may be created with, in minutes; 0: any, and none (-1).',
  ),
  QUEUE_SIZE: count(64, 'Callers that may stand in line for a browser of this host.'),
  QUEUE_WAIT_SECONDS: count(30, 'How long a caller stands in line before 429.'),
  DATA_HOST: text('127.0.0.1', 'Address the node agent’s data port listens on.'),
  DATA_PORT: port(0, 'Data port of the node agent; 0 takes a free one.'),
  DATA_URL: url(
    '',
    'How gateways on other hosts reach the data port, when not http://DATA_HOST:DATA_PORT.',
  ),
  RETENTION_DAYS: count(7, 'How long ended sessions stay readable.', 1),
  RETENTION_PER_TENANT: count(10_000, 'How many ended sessions stay readable for one tenant.', 1),
  STORE_MAX_MIB: count(
    limits.natsStoreMib,
    'Room for the store on the disk of each NATS server, in MiB; the same on all hosts. With NATS_URL, max_file_store there must be as much.',
    limits.natsStoreMinMib,
  ),
  LEASE_SECONDS: count(
    0,
    'Lease of a process; 0 chooses 6 with one NATS server and 15 with a cluster.',
  ),
  ...modelSettings,
  ...agentSettings,
  JOB_PRIVATE_HOSTS: list(
    [],
    'Private hosts that jobs and checks may visit, as 127.0.0.1:8000 or shop.intranet; comma-separated. They need no record in the area domains.',
  ),
  ...webhookSettings,
  LOG_LEVEL: oneOf(
    ['info', 'debug', 'warn', 'error', 'silent'],
    'What is logged, as JSON lines on stderr.',
  ),
} satisfies Record<string, Setting<unknown>>

type Settings = typeof settings
export type SettingName = keyof Settings
export type Config = { readonly [K in SettingName]: Settings[K]['fallback'] }

/** Throws {@link ConfigError} for the first invalid value. */
export function loadConfig(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Config {
  const entries = Object.entries(settings as Record<string, Setting<unknown>>).map(([name, s]) => {
    const given = env[name]?.trim()
    return [name, given === undefined || given === '' ? s.fallback : s.parse(given, name)]
  })
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
  return Object.entries(settings as Record<string, Setting<unknown>>).map(([name, s]) => {
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
