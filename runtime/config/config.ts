/**
 * The configuration: environment variables only, one frozen table. `troupe config` prints it, the
 * README of `cli/` lists it. An invalid value stops the start with one line that names it.
 */
import { hostname, totalmem } from 'node:os'
import { limits } from '../../proto/limits.ts'
import { defaultDataDir, defaultPort } from './defaults.ts'
import { agentSettings } from './agent-settings.ts'
import { networkSettings } from './network-settings.ts'
import { presetSettings } from './pool-presets.ts'
import { modelSettings } from '../accounts/credentials/settings.ts'
import { isAddressOrRange } from '../lib/network/own-addresses.ts'
import { webhookSettings } from '../webhooks/settings.ts'
import { isSealKeys } from '../accounts/seal/seal-keys.ts'
import {
  ConfigError,
  readSetting,
  secretSetting,
  setting,
  type Setting,
  type SettingValues,
} from './setting.ts'
import {
  anyText,
  countText,
  flagText,
  folderText,
  labelText,
  listText,
  natsUrlText,
  oneOf,
  portText,
  textThat,
  tokenText,
  urlText,
} from './value-texts.ts'

const natsStoreMinMib = 256

const GiB = 2 ** 30

/** `0.0.0.0`, `::` and other spellings of them. */
const everyAddress = /^[0.:]+$/

/** A headful session takes less than half a GiB on a plain page, including its desktop. */
const sessionsByMemory = Math.max(2, Math.min(50, Math.floor((totalmem() / GiB) * 2)))

export const settingsTable = {
  PORT: setting(portText, defaultPort, 'Port of the gateway; 0 chooses a free one.'),
  HOST: setting(
    anyText,
    '127.0.0.1',
    'Address the gateway listens on. On any address but loopback, the development key is refused.',
  ),
  SERVER_ENGINE: setting(
    oneOf(['auto', 'uws', 'node']),
    'auto',
    'The HTTP and WebSocket server: `uws` is uWebSockets.js, `node` is node:http with ws; auto: uws if its native build loads.',
  ),
  PUBLIC_URL: setting(
    urlText,
    '',
    'How clients reach the gateway through a reverse proxy (https://…). The development key is then refused.',
  ),
  ALLOWED_ORIGINS: setting(
    listText(anyText),
    [],
    'Origins of web pages that may open sockets, besides the gateway’s own; comma-separated.',
  ),
  DEV_KEY: secretSetting(
    'A development key in addition to that in DATA_DIR/dev.key, for clients on this machine; `npm start` sets the well-known one.',
  ),
  ALLOW_DEV_KEY: setting(
    flagText,
    false,
    'Accept the development key also from other machines and behind a reverse proxy.',
  ),
  ACCESS_SINGLE_OPERATOR: setting(
    flagText,
    false,
    'Scoped access with one operator: requesters may also review, and every such decision is marked.',
  ),
  AGENCY_NAME: setting(
    anyText,
    '',
    'Letterhead of reports: the name of whoever makes them, also at the foot of each page of a PDF.',
  ),
  AGENCY_LOGO: setting(
    anyText,
    '',
    'Letterhead of reports: a PNG, JPEG or SVG file of at most 200 KiB.',
  ),
  AGENCY_COLOUR: setting(
    textThat((text) => /^#[0-9a-f]{6}$/i.test(text), 'use a colour such as #9a2f4b'),
    '',
    'Letterhead of reports: a colour such as #9a2f4b. One that is too light to be read is used for the bar alone.',
  ),
  AGENCY_CONTACT: setting(
    anyText,
    '',
    'Letterhead of reports: lines with how to reach the agency, separated by semicolons.',
  ),
  ACCESS_SEPARATION: setting(
    oneOf(['auto', 'strict', 'small']),
    'auto',
    'Scoped access: `strict` takes all approvals of the rules, and three people for a change; with `small`, two different people are enough where there are no more, and the client’s owner fills what staff cannot; auto: small while fewer than four staff are active.',
  ),
  WS_REQUIRE_KEY: setting(
    oneOf(['remote', 'always', 'never']),
    'remote',
    'Who needs a key for /ws?sessionId= of a session created by the official SDK, which sends none: clients on other machines or behind a proxy, all, or none. For other sessions, all do.',
  ),
  DATA_DIR: setting(
    folderText,
    defaultDataDir(),
    'Folder of all stored data: the store, credentials, browser profiles.',
    { shown: '~/.troupe' },
  ),
  SEAL_KEY: secretSetting(
    'Key that encrypts stored secrets: 32 bytes in base64, the same on all hosts. If empty, the file DATA_DIR/seal.key is used. With several keys, comma-separated (in the file: one per line), the first encrypts and all decrypt.',
    textThat(isSealKeys, 'use what `openssl rand -base64 32` prints'),
  ),
  AUDIT_CHECKPOINT_FILE: setting(
    anyText,
    '',
    'A file, best on another machine, that an actor host appends each signed checkpoint of the audit of scoped access to; `troupe audit verify --checkpoints FILE` then also finds what was cut or rewritten with the store.',
  ),
  NODE_ID: setting(
    tokenText,
    defaultNodeId(),
    'Name of this host, unique in the service. Letters, digits, - and _.',
    { shown: 'the host name' },
  ),
  HOST_LABELS: setting(
    listText(labelText),
    [],
    'Labels of this host for operators, as in `zone=a, gpu`; comma-separated.',
  ),
  NATS_URL: setting(
    natsUrlText,
    '',
    'nats://host:4222[,…] of your own NATS; empty: `npm run troupe -- up` starts its own.',
  ),
  NATS_USER: setting(anyText, '', 'User for NATS_URL.'),
  NATS_PASSWORD: secretSetting('Password for NATS_URL.'),
  NATS_TOKEN: secretSetting('Token for NATS_URL.'),
  NATS_NKEY_FILE: setting(anyText, '', 'File with an nkey seed for NATS_URL.'),
  NATS_CREDS_FILE: setting(anyText, '', 'Credentials file for NATS_URL.'),
  NATS_CA_FILE: setting(anyText, '', 'CA file; switches TLS on for NATS_URL.'),
  NATS_CERT_FILE: setting(anyText, '', 'Client certificate for NATS_URL.'),
  NATS_CERT_KEY_FILE: setting(anyText, '', 'Key of the client certificate.'),
  NATS_SERVER_BIN: setting(
    anyText,
    'nats-server',
    'The nats-server that `npm run troupe -- up` runs.',
  ),
  CHROMIUM_BIN: setting(anyText, 'chromium', 'The Chromium that sessions run.'),
  ISOLATION: setting(
    oneOf(['auto', 'namespaces', 'none']),
    'auto',
    'Isolation of browsers from their host: `namespaces` created by bubblewrap, or none; auto: namespaces if this machine supports them.',
  ),
  NETWORK_ISOLATION: setting(
    oneOf(['auto', 'on', 'off']),
    'auto',
    'Whether each browser has its own network, whose only exit is a filter: what it lets through is decided for each session; auto: if this machine supports it.',
  ),
  OWN_ADDRESSES: setting(
    listText(
      textThat(isAddressOrRange, 'use addresses or ranges such as 203.0.113.7, 2001:db8::/64'),
    ),
    [],
    'Addresses that lead to this host although no network interface has them, as with NAT or a load balancer; comma-separated. Like those of its interfaces, they count as private.',
  ),
  ISOLATION_I_TRUST_ALL_KEYS: setting(
    flagText,
    false,
    'Start without namespaces although others can reach the service: every owner of a key can then read the files of this host.',
  ),
  CHROMIUM_SANDBOX: setting(
    oneOf(['on', 'off']),
    'on',
    'Chromium’s own sandbox; a service that others can reach does not start without it, unless this is off.',
  ),
  POOL_HEADLESS: setting(countText(), 2, 'Warm headless browsers kept ready.'),
  POOL_HEADFUL: setting(
    countText(),
    2,
    'Warm headful browsers kept ready, each with its own display.',
  ),
  ...presetSettings,
  MAX_SESSIONS: setting(
    countText(1),
    sessionsByMemory,
    'Maximum number of sessions at once on this host.',
    { shown: '2 per GiB of memory, at most 50' },
  ),
  SESSION_MEMORY_MB: setting(
    countText(),
    4096,
    'Memory limit of one session’s browser, in MiB: beyond it, the session is ended; 0: no limit.',
  ),
  SESSION_DISK_MB: setting(
    countText(),
    4096,
    'Disk limit of one session’s files (profile, downloads, uploads), in MiB: beyond it, the session is ended; 0: no limit.',
  ),
  TENANT_SHARE_PERCENT: setting(
    countText(1),
    75,
    'Share of the service’s sessions that one tenant may have at once, in percent, if another tenant has a key; 100: no limit.',
  ),
  MAX_DURATION_MINUTES: setting(
    countText(),
    0,
    'Longest max_duration of a new session, in minutes; 0: no limit, and -1 (never) is allowed.',
  ),
  MAX_IDLE_MINUTES: setting(
    countText(),
    0,
    'Longest idle_timeout of a new session, in minutes; 0: no limit, and -1 (never) is allowed.',
  ),
  QUEUE_SIZE: setting(countText(), 64, 'Callers that may wait for a browser of this host.'),
  QUEUE_WAIT_SECONDS: setting(
    countText(),
    30,
    'How long a caller waits for a browser before it gets 429, in seconds.',
  ),
  DATA_HOST: setting(anyText, '127.0.0.1', 'Address the node agent’s data port listens on.'),
  DATA_PORT: setting(portText, 0, 'Data port of the node agent; 0 chooses a free one.'),
  DATA_URL: setting(
    urlText,
    '',
    'How gateways on other hosts reach the data port, if not http://DATA_HOST:DATA_PORT.',
  ),
  ...networkSettings,
  RETENTION_DAYS: setting(
    countText(1),
    7,
    'How long ended sessions and tasks stay readable, in days.',
  ),
  RETENTION_PER_TENANT: setting(
    countText(1),
    10_000,
    'How many ended sessions, and how many ended tasks, stay readable for each tenant.',
  ),
  STORE_MAX_MIB: setting(
    countText(natsStoreMinMib),
    limits.natsStoreMib,
    'Disk size of the store on each NATS server, in MiB; the same on all hosts. With NATS_URL, max_file_store must be at least as large.',
  ),
  BLOBS_MAX_MIB: setting(
    countText(1),
    10 * 1024,
    'Disk size of all profiles that this core host keeps in DATA_DIR/blobs, in MiB.',
  ),
  PROFILE_MAX_MIB: setting(
    countText(1),
    256,
    'Largest profile that is saved, in MiB. Caches are not part of it.',
  ),
  PROFILE_UNUSED_DAYS: setting(
    countText(),
    0,
    'Profiles that no session has used for so many days are deleted; 0: they are kept.',
  ),
  LAST_PICTURES: setting(
    flagText,
    true,
    'Whether a browser host keeps a picture of each session’s last page for a day after its end, for the console.',
  ),
  RECORD_SESSIONS: setting(
    flagText,
    false,
    'Whether a session is recorded that does not say so itself, by session.recording. Needs ffmpeg: npm run setup -- recording.',
  ),
  RECORDINGS_MAX_MIB: setting(
    countText(1),
    10 * 1024,
    'Disk size of all recordings that this browser host keeps, in MiB; beyond it the oldest go.',
  ),
  RECORDINGS_KEPT_HOURS: setting(
    countText(1),
    24,
    'How long the recording of a session is kept after its end, in hours.',
  ),
  LEASE_SECONDS: setting(
    countText(),
    0,
    'Lease of a process, in seconds; 0: 6 with one NATS server, 20 with a cluster.',
  ),
  HOST_GRACE_SECONDS: setting(
    countText(),
    30,
    'How long the sessions of a host wait for it, in seconds, if it loses contact or its agent is killed: they are unreachable, and go on with the same browsers when it is back. 0: they are lost at once.',
  ),
  ...modelSettings,
  ...agentSettings,
  JOB_PRIVATE_HOSTS: setting(
    listText(anyText),
    [],
    'Private hosts that jobs and checks may visit, such as 127.0.0.1:8000 or shop.intranet; comma-separated. They need no record in the area domains.',
  ),
  ...webhookSettings,
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    urlText,
    '',
    'Collector that traces of requests are sent to by OTLP over HTTP, such as http://127.0.0.1:4318; empty: none. OpenTelemetry’s other OTEL_… variables also apply.',
  ),
  LOG_LEVEL: setting(
    oneOf(['info', 'debug', 'warn', 'error', 'silent']),
    'info',
    'Lowest level of what is logged, as JSON lines on stderr.',
  ),
} satisfies Record<string, Setting<unknown>>

const settings: Readonly<Record<string, Setting<unknown>>> = settingsTable
export type SettingName = keyof typeof settingsTable
export type Config = SettingValues<typeof settingsTable>

/** Throws {@link ConfigError} for the first invalid value. */
export function loadConfig(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Config {
  const entries = Object.entries(settings).map(
    ([name, one]) => [name, readSetting(name, one, env[name])] as const,
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
  return Object.entries(settings).map(([name, { fallback, shown, secret, help }]) => {
    const value = config[name as SettingName]
    return {
      name,
      value: secret === 'always' ? (value === fallback ? '' : 'set') : String(value),
      fallback: shown ?? String(fallback),
      help,
    }
  })
}

function defaultNodeId(): string {
  const name = hostname()
    .replaceAll(/[^A-Za-z0-9_-]/g, '-')
    .slice(0, 64)
  return name === '' ? 'node' : name
}
