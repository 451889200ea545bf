/**
 * The connection to NATS: creates the client from the configuration and checks the server's version.
 */
import { readFileSync } from 'node:fs'
import { checkServerIdentity, type ConnectionOptions as SecureOptions } from 'node:tls'
import {
  connect,
  credsAuthenticator,
  Events,
  nkeyAuthenticator,
  type ConnectionOptions,
  type NatsConnection,
  type ServerInfo,
  type Status,
  type TlsOptions,
} from 'nats'
import type { Logger } from 'pino'
import { limits } from '../../../proto/limits.ts'
import { backoffMs, systemClock } from '../../lib/clock.ts'
import { retry, type RetryOptions } from '../../lib/retry.ts'
import type { Config } from '../../config/config.ts'
import { diagnoseConnection, NatsUnusable, type ClientError } from './errors.ts'
import { storeLimits } from '../limits.ts'

export type { NatsConnection } from 'nats'

export interface NatsPatience {
  /** How long to wait for a server that does not answer. */
  readonly waitMs?: number
  /** Called once, with a sentence, at the first failure that is followed by another attempt. */
  readonly onWait?: (why: string) => void
}

/**
 * Connects; waits a limited time for a server that is starting. `name`, a subject token, is the
 * client's name in the server's lists.
 */
export async function connectNats(
  config: Config,
  name: string,
  log: Logger,
  patience: NatsPatience = {},
): Promise<NatsConnection> {
  const nc = await dial(config, connectionOptions(config, name), log, patience)
  const refusal = serverRefusal(nc.info)
  if (refusal !== undefined) {
    await nc.close()
    throw new NatsUnusable(refusal)
  }
  const messageBytes = messageBytesOf(nc)
  if (messageBytes < limits.natsMessageBytes) {
    log.warn(
      { max_payload: messageBytes },
      `large screenshots and clipboards will be refused: set max_payload: ${limits.natsMessageBytes} in nats-server's configuration`,
    )
  }
  void report(nc, log.child({ connection: name }))
  return nc
}

/** The largest message that the connection carries. */
export function messageBytesOf(nc: NatsConnection): number {
  return Math.min(nc.info?.max_payload ?? limits.natsMessageBytes, limits.natsMessageBytes)
}

/** True for several servers behind one address: leases must outlast their elections. */
export function isClustered(nc: NatsConnection): boolean {
  return nc.info?.cluster !== undefined
}

const oldestServer = [2, 9, 10] as const
const oldestClusteredServer = [2, 10, 27] as const

/**
 * Before 2.10, compare-and-set on a replicated stream can have two winners, so fencing would not
 * work.
 */
export function serverRefusal(
  info: Pick<ServerInfo, 'version' | 'cluster'> | undefined,
): string | undefined {
  if (info === undefined) return 'NATS did not tell its version; use nats-server 2.9.10 or newer.'
  const { version, cluster } = info
  if (isOlder(version, oldestServer)) {
    return `nats-server ${version} is too old: use 2.9.10 or newer.`
  }
  if (cluster !== undefined && isOlder(version, oldestClusteredServer)) {
    return (
      `nats-server ${version} in a cluster can let two writers win one compare-and-set: ` +
      'upgrade every server to 2.10.27 or newer, or run a single one.'
    )
  }
  return undefined
}

/** Compares numerically: `2.10.0` is newer than `2.9.10`. */
export function isOlder(version: string, floor: readonly number[]): boolean {
  const parts = version.split(/[.-]/, 3).map(Number)
  for (const [index, least] of floor.entries()) {
    const part = parts[index] ?? 0
    if (part !== least) return !(part > least)
  }
  return false
}

function connectionOptions(config: Config, name: string): ConnectionOptions {
  if (config.NATS_URL === '') {
    throw new NatsUnusable(
      'NATS_URL is not set: name the NATS of the service, or run `npm run troupe -- up`, which starts one.',
    )
  }
  const { NATS_USER: user, NATS_PASSWORD: pass, NATS_TOKEN: token } = config
  const seed = fileOf(config, 'NATS_NKEY_FILE')
  const creds = fileOf(config, 'NATS_CREDS_FILE')
  const tls = tlsOptions(config)
  return {
    servers: serversOf(config),
    name: `troupe ${config.NODE_ID} ${name}`,
    ...(user !== '' && { user, pass }),
    ...(token !== '' && { token }),
    ...(seed && { authenticator: nkeyAuthenticator(seed) }),
    ...(creds && { authenticator: credsAuthenticator(creds) }),
    ...(tls && { tls }),
    timeout: storeLimits.natsDialMs,
    maxReconnectAttempts: -1,
    reconnectTimeWait: storeLimits.natsReconnectMs,
    reconnectJitter: storeLimits.natsReconnectMs,
    reconnectJitterTLS: storeLimits.natsReconnectMs,
    pingInterval: limits.natsPingMs,
    maxPingOut: limits.natsPingsUnanswered,
    // A server that is being reconfigured may refuse us for a while; only the lease decides when to
    // give up.
    ignoreAuthErrorAbort: true,
    noAsyncTraces: true,
    // An inbox per process and role, so that permissions can prevent reading the answers to others.
    inboxPrefix: `_INBOX.${config.NODE_ID}.${name}`,
  }
}

function tlsOptions(config: Config): ConnectionOptions['tls'] {
  const { NATS_CA_FILE: caFile, NATS_CERT_FILE: certFile, NATS_CERT_KEY_FILE: keyFile } = config
  const servers = serversOf(config)
  const wanted = caFile !== '' || certFile !== '' || servers.some((url) => url.startsWith('tls:'))
  if (!wanted) return undefined
  const options: TlsOptions & IdentityCheck = {
    ...(caFile !== '' && { caFile }),
    ...(certFile !== '' && { certFile }),
    ...(keyFile !== '' && { keyFile }),
    // For a server named by its address, the client checks the certificate for `localhost`; here
    // any of our addresses is accepted.
    checkServerIdentity(name, certificate) {
      const names = name === 'localhost' ? servers.map((url) => new URL(url).hostname) : [name]
      const errors = names.map((each) => checkServerIdentity(each, certificate))
      return errors.includes(undefined) ? undefined : errors[0]
    },
  }
  return options
}

/** The client passes options that it does not know to Node. */
type IdentityCheck = Pick<SecureOptions, 'checkServerIdentity'>

function serversOf(config: Config): string[] {
  const urls = config.NATS_URL.split(',').map((url) => url.trim())
  return urls.map((url) => (url.includes('://') ? url : `nats://${url}`))
}

function fileOf(
  config: Config,
  setting: 'NATS_NKEY_FILE' | 'NATS_CREDS_FILE',
): Uint8Array | undefined {
  if (config[setting] === '') return undefined
  try {
    const bytes = readFileSync(config[setting])
    return setting === 'NATS_NKEY_FILE' ? Buffer.from(bytes.toString().trim()) : bytes
  } catch (error) {
    throw new NatsUnusable(
      `${setting}=${JSON.stringify(config[setting])} cannot be read: ${(error as Error).message}`,
      error,
    )
  }
}

async function dial(
  config: Config,
  options: ConnectionOptions,
  log: Logger,
  { waitMs = storeLimits.natsConnectMs, onWait }: NatsPatience,
): Promise<NatsConnection> {
  const diagnosis = (error: unknown) => diagnoseConnection(error as ClientError)
  const reasonOf = (error: unknown) => `NATS at ${config.NATS_URL} ${diagnosis(error).reason}`
  const whileItStarts: RetryOptions = {
    withinMs: waitMs,
    waitMs: (attempt) => backoffMs(attempt, limits.natsRetryMs, limits.natsRetryMaxMs),
    isRetryable: (error) => !diagnosis(error).lasting,
    onRetry(error, attempt) {
      if (attempt > 1) return
      log.warn({ waitMs }, `${reasonOf(error)} Waiting for it.`)
      onWait?.(`${reasonOf(error)} Waiting for it, ${Math.ceil(waitMs / 1_000)} s at most.`)
    },
  }
  try {
    return await retry(systemClock, whileItStarts, () => connect(options))
  } catch (error) {
    throw new NatsUnusable(reasonOf(error), error)
  }
}

/** Logs the events of the connection. Denied publishes are reported only here. */
async function report(nc: NatsConnection, log: Logger): Promise<void> {
  void nc.closed().then((error) => {
    if (error) log.error({ err: error }, 'the connection to NATS is closed for good')
  })
  for await (const status of nc.status()) reportOne(nc, status, log)
}

function reportOne(nc: NatsConnection, status: Status, log: Logger): void {
  const detail = { data: status.data, ...status.permissionContext }
  switch (status.type) {
    case Events.Error:
      return log.error(detail, 'NATS refused an operation: check the permissions of our user')
    case Events.Disconnect:
      return log.warn(detail, 'NATS is unavailable')
    case Events.Reconnect: {
      const refusal = serverRefusal(nc.info)
      if (refusal === undefined) return log.info(detail, 'NATS is available again')
      log.fatal(detail, refusal)
      return void nc.close()
    }
    default:
      return log.debug(detail, `NATS: ${status.type}`)
  }
}
