/**
 * A real nats-server in its own folder, started as `troupe up` starts it, and ways to make it fail.
 */
import type { ChildProcess, StdioOptions } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { openStore, type NatsStore } from '../../../runtime/store/nats/buckets.ts'
import { loadConfig, type Config } from '../../../runtime/config/config.ts'
import { connectNats, type NatsConnection } from '../../../runtime/store/nats/connection.ts'
import { Guard, spawnGuarded, type ProcessExit } from '../../../runtime/process/guard.ts'
import { prepareNatsServer } from '../../../runtime/store/nats/server/server.ts'

export const silent = pino({ level: 'silent' })

const guard = new Guard()
let started = 0

/** The part of a test's `t` that cleans up. */
export interface Teardown {
  teardown(clean: () => unknown): unknown
}

export interface TestNats {
  readonly version: string
  readonly port: number
  /** The environment of a process that uses this server. */
  readonly env: Readonly<Record<string, string>>
  readonly config: Config
  readonly dir: string
  /** The `watcher` user's connection settings. */
  readonly watcherConfig: Config
  /** The gateways' connection settings. */
  readonly gatewayConfig: Config
  readonly pid: number
  connect(name?: string): Promise<NatsConnection>
  store(timeoutMs?: number): Promise<NatsStore>
  /** SIGKILL; resolves when the server has ended. */
  kill(): Promise<void>
  /** On the same port and store; resolves when it accepts connections. */
  start(): Promise<void>
}

export async function startNats(
  t: Teardown,
  bin = 'nats-server',
  settings: Readonly<Record<string, string>> = {},
): Promise<TestNats> {
  const dir = mkdtempSync(join(tmpdir(), 'troupe-nats-'))
  guard.hold(dir, { paths: [dir] })
  const base = { DATA_DIR: dir, NATS_SERVER_BIN: bin, NODE_ID: 'test', ...settings }
  const server = await prepareNatsServer(loadConfig(base))
  const connections: NatsConnection[] = []
  const env = {
    ...base,
    NATS_URL: server.url,
    NATS_USER: server.user,
    NATS_PASSWORD: server.password,
  }
  const config = loadConfig(env)
  let child: Child

  const nats: TestNats = {
    version: server.version,
    port: Number(new URL(server.url).port),
    env,
    config,
    dir,
    watcherConfig: loadConfig({
      ...env,
      NATS_USER: server.watcher.user,
      NATS_PASSWORD: server.watcher.password,
    }),
    gatewayConfig: loadConfig({
      ...env,
      NATS_USER: server.gateway.user,
      NATS_PASSWORD: server.gateway.password,
    }),
    get pid() {
      return child.pid
    },
    async connect(name = 'test') {
      const nc = await connectNats(config, name, silent)
      connections.push(nc)
      return nc
    },
    async store(timeoutMs = 2_000) {
      return openStore(await nats.connect(), { timeoutMs, storeMib: config.STORE_MAX_MIB })
    },
    kill: () => child.kill(),
    async start() {
      child = run(server.bin, server.args)
      await (await connectNats(config, 'probe', silent)).close()
    },
  }
  t.teardown(async () => {
    await Promise.all(connections.map((nc) => nc.close()))
    await child.kill()
    rmSync(dir, { recursive: true, force: true })
    guard.release(dir)
  })
  await nats.start()
  return nats
}

export interface Child {
  readonly pid: number
  readonly process: ChildProcess
  readonly exited: Promise<ProcessExit>
  /** SIGKILL; resolves when the process has ended. */
  kill(): Promise<void>
}

/** Starts a process that ends with this one, however this one ends. */
export function run(
  bin: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  stdio: StdioOptions = ['ignore', 'pipe', 'pipe'],
): Child {
  const { child, exited } = spawnGuarded(guard, bin, args, {
    key: `${++started}`,
    env: { ...process.env, ...env },
    stdio,
  })
  // Drains output that has no reader, because a full pipe would block the child.
  child.stdout?.resume()
  child.stderr?.resume()
  return {
    pid: child.pid!,
    process: child,
    exited,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
