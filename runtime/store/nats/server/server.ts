/**
 * The private nats-server of `troupe up`: its configuration, credentials and port, all stored under
 * DATA_DIR/nats and readable by the owner only. The supervisor runs it.
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { limits } from '../../../../proto/limits.ts'
import { systemClock } from '../../../lib/clock.ts'
import { makePrivateFolder } from '../../../lib/files/make-folder.ts'
import { pollUntil } from '../../../lib/poll-until.ts'
import type { Config } from '../../../config/config.ts'
import { freePort } from '../../../lib/network/free-port.ts'
import { accountsConfig, operatorConfig } from './accounts.ts'
import { isOlder } from '../connection.ts'
import { NatsUnusable } from '../errors.ts'

export interface NatsServer {
  readonly bin: string
  readonly args: readonly string[]
  readonly version: string
  /** The URL that the roles connect to. */
  readonly url: string
  readonly user: string
  readonly password: string
  /** The user of gateways, which may not write the audit. */
  readonly gateway: { readonly user: string; readonly password: string }
  readonly nodeAgent: { readonly user: string; readonly password: string }
  /** May subscribe to `tasks.>`, the public steps of tasks, and do nothing else. */
  readonly watcher: { readonly user: string; readonly password: string }
  readonly dir: string
}

/** Stored at the first start, so that the address and credentials stay the same after restarts. */
interface StoredServerState {
  readonly port: number
  readonly password: string
  readonly gatewayPassword: string
  readonly nodeAgentPassword: string
  readonly watcherPassword: string
  /**
   * The largest size the store ever had: with less than its streams reserve, a server does not
   * restore all of them, and their content would seem lost.
   */
  readonly storeMib: number
}

const user = 'troupe'
const gatewayUser = 'gateway'
const nodeAgentUser = 'node-agent'
export const watcherUser = 'watcher'

/** The purpose of a start other than serving. */
export interface NatsServerPurpose {
  /**
   * A restore of streams that need a store of this size. Until the next start, the only user has all
   * permissions.
   */
  readonly restoresMib: number
}

/** Prepares the start of the server, and ends one that an earlier supervisor left behind. */
export async function prepareNatsServer(
  config: Config,
  purpose?: NatsServerPurpose,
): Promise<NatsServer> {
  const bin = findServer(config.NATS_SERVER_BIN)
  const version = await serverVersion(bin)
  const dir = join(config.DATA_DIR, 'nats')
  makePrivateFolder(dir)
  chmodSync(dir, 0o700)
  const configFile = join(dir, 'server.conf')
  await endLeftOver(dir, configFile)
  const kept = await saveState(dir, Math.max(config.STORE_MAX_MIB, purpose?.restoresMib ?? 0))
  const accounts = purpose
    ? operatorConfig({ user, password: kept.password })
    : serviceAccounts(config, kept)
  writePrivately(configFile, serverConfig(config, kept, version, dir) + accounts)
  return {
    bin,
    args: ['--config', configFile],
    version,
    url: `nats://127.0.0.1:${kept.port}`,
    user,
    password: kept.password,
    gateway: { user: gatewayUser, password: kept.gatewayPassword },
    nodeAgent: { user: nodeAgentUser, password: kept.nodeAgentPassword },
    watcher: { user: watcherUser, password: kept.watcherPassword },
    dir,
  }
}

/** Runs the program to get its version, such as `2.9.10`. */
export async function serverVersion(bin: string): Promise<string> {
  const { stdout } = await promisify(execFile)(bin, ['--version'], {
    timeout: limits.natsStopMs,
  }).catch((error: Error) => {
    throw new NatsUnusable(`${bin} --version does not run (${error.message}).`, error)
  })
  const version = /(\d+\.\d+\.\d+\S*)/.exec(stdout)?.[1]
  if (version === undefined) throw new NatsUnusable(`${bin} is not a nats-server: ${stdout.trim()}`)
  return version
}

/** Debian installs it in /usr/sbin, which is not in the PATH of normal users. */
export function findServer(bin: string): string {
  if (isAbsolute(bin) && existsSync(bin)) return bin
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  const found = folders.map((folder) => join(folder, bin)).find((path) => existsSync(path))
  if (found !== undefined && !isAbsolute(bin)) return found
  throw new NatsUnusable(
    `NATS_SERVER_BIN=${JSON.stringify(bin)} is not installed: apt-get install nats-server, or name another ` +
      'program; or set NATS_URL to a NATS you run.',
  )
}

/**
 * How a command on this machine connects to the server of `troupe up`; undefined before its first
 * start.
 */
export function privateNats(
  config: Config,
): Pick<NatsServer, 'url' | 'user' | 'password' | 'watcher'> | undefined {
  const file = join(config.DATA_DIR, 'nats', 'credentials.json')
  if (!existsSync(file)) return undefined
  const { port, password, watcherPassword } = JSON.parse(
    readFileSync(file, 'utf8'),
  ) as StoredServerState
  const watcher = { user: watcherUser, password: watcherPassword }
  return { url: `nats://127.0.0.1:${port}`, user, password, watcher }
}

async function saveState(dir: string, storeMib: number): Promise<StoredServerState> {
  const file = join(dir, 'credentials.json')
  const old = existsSync(file)
    ? ({ ...beforeSizes, ...JSON.parse(readFileSync(file, 'utf8')) } as StoredServerState)
    : undefined
  const kept: StoredServerState = {
    port: await freePort('127.0.0.1', old?.port),
    password: old?.password ?? newPassword(),
    gatewayPassword: old?.gatewayPassword ?? newPassword(),
    nodeAgentPassword: old?.nodeAgentPassword ?? newPassword(),
    watcherPassword: old?.watcherPassword ?? newPassword(),
    storeMib: Math.max(storeMib, old?.storeMib ?? 0),
  }
  writePrivately(file, `${JSON.stringify(kept, null, 2)}\n`)
  return kept
}

/** The size used by versions before STORE_MAX_MIB existed. */
const beforeSizes: Pick<StoredServerState, 'storeMib'> = { storeMib: limits.natsStoreMib }

function newPassword(): string {
  return randomBytes(32).toString('base64url')
}

/** Written aside and renamed, so that a crash leaves the old file intact. */
function writePrivately(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

function serverConfig(
  config: Config,
  kept: StoredServerState,
  version: string,
  dir: string,
): string {
  const quoted = JSON.stringify
  const pingSeconds = limits.natsPingMs / 1000
  return `# Written at each start; changes are lost.
server_name: ${quoted(`troupe-${config.NODE_ID}`)}
listen: ${quoted(`127.0.0.1:${kept.port}`)}
pid_file: ${quoted(pidFile(dir))}
ping_interval: "${pingSeconds}s"
ping_max: ${limits.natsPingsUnanswered}
max_payload: ${limits.natsMessageBytes}

jetstream {
  store_dir: ${quoted(join(dir, 'jetstream'))}
  max_file_store: ${kept.storeMib}MB
  max_memory_store: ${limits.natsMemoryStoreBytes}
${syncsAlways(version) ? '  # An acknowledged entry is on the disk, even if the machine crashes.\n  sync_interval: always\n' : ''}}

`
}

function serviceAccounts(config: Config, kept: StoredServerState): string {
  return accountsConfig({
    actors: { user, password: kept.password },
    gateway: { user: gatewayUser, password: kept.gatewayPassword },
    nodeAgents: new Map([
      [config.NODE_ID, { user: nodeAgentUser, password: kept.nodeAgentPassword }],
    ]),
    watcher: { user: watcherUser, password: kept.watcherPassword },
  })
}

/** Before 2.10, the server flushes to disk every minute. */
export function syncsAlways(version: string): boolean {
  return !isOlder(version, [2, 10])
}

function pidFile(dir: string): string {
  return join(dir, 'server.pid')
}

/** Two servers would destroy a shared store, which has no lock. */
async function endLeftOver(dir: string, configFile: string): Promise<void> {
  const pid = existsSync(pidFile(dir)) ? Number(readFileSync(pidFile(dir), 'utf8')) : 0
  const runs = () => pid > 0 && commandLine(pid).includes(configFile)
  if (!runs()) return
  process.kill(pid, 'SIGKILL')
  const times = { everyMs: 10, withinMs: limits.natsStopMs }
  if (await pollUntil(systemClock, times, () => !runs())) return
  throw new NatsUnusable(`The nats-server of an earlier start (process ${pid}) does not end.`)
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    // The process does not exist, so there is nothing to end.
    return ''
  }
}
