/**
 * Three nats-servers in one cluster, each with its own folder, and ways to lose one of them. Each
 * lists the two others only: one that also dials itself closes that route again, and may then never
 * hear of the leader. In one start of some hundreds a server of 2.10.27 does not hear of it even so,
 * for as long as it runs ("has not established contact with a meta leader"); then all start again.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type NatsStore } from '../../../runtime/store/nats/buckets.ts'
import { loadConfig, type Config } from '../../../runtime/config/config.ts'
import { connectNats, type NatsConnection } from '../../../runtime/store/nats/connection.ts'
import { awaitCluster } from '../../../runtime/store/nats/snapshot.ts'
import { freePorts } from '../lib/free-ports.ts'
import { run, silent, type Child, type Teardown } from './nats.ts'

export interface NatsCluster {
  readonly env: Readonly<Record<string, string>>
  readonly config: Config
  connect(name?: string): Promise<NatsConnection>
  store(timeoutMs?: number): Promise<NatsStore>
  /** SIGKILLs the server that leads this stream, and returns its name. */
  killLeaderOf(stream: string): Promise<string>
}

interface Member {
  readonly name: string
  readonly child: Child
}

const user = 'troupe'
const password = 'only-for-tests'
const startsMax = 3
const formsWithinMs = 20_000

export async function startCluster(t: Teardown, bin: string): Promise<NatsCluster> {
  const dir = mkdtempSync(join(tmpdir(), 'troupe-cluster-'))
  const ports = await freePorts(6)
  const routes = ports.slice(3).map((port) => `nats://127.0.0.1:${port}`)
  let printed = ''
  let members: readonly Member[] = []
  const start = () => {
    members = [0, 1, 2].map((index): Member => {
      const name = `s${index + 1}`
      const folder = join(dir, name)
      rmSync(folder, { recursive: true, force: true })
      const others = routes.filter((_, at) => at !== index)
      const file = `${folder}.conf`
      writeFileSync(file, memberConfig(name, folder, ports[index]!, ports[index + 3]!, others))
      const child = run(bin, ['--config', file])
      child.process.stderr?.on('data', (text: Buffer) => (printed += text.toString()))
      return { name, child }
    })
  }
  const end = async () => void (await Promise.all(members.map(({ child }) => child.kill())))
  const env = {
    NODE_ID: 'test',
    DATA_DIR: dir,
    NATS_URL: ports
      .slice(0, 3)
      .map((port) => `nats://127.0.0.1:${port}`)
      .join(','),
    NATS_USER: user,
    NATS_PASSWORD: password,
  }
  const config = loadConfig(env)
  const connections: NatsConnection[] = []
  t.teardown(async () => {
    await Promise.all(connections.map((nc) => nc.close()))
    await end()
    rmSync(dir, { recursive: true, force: true })
  })

  async function connect(name = 'test') {
    const nc = await connectNats(config, name, silent)
    connections.push(nc)
    return nc
  }
  const whyNotFormed = async (): Promise<unknown> => {
    const nc = await connectNats(config, 'test', silent)
    const forming = awaitCluster(nc, formsWithinMs)
    const why: unknown = await forming.then(
      () => undefined,
      (error: unknown) => error,
    )
    await nc.close()
    return why
  }
  start()
  let why = await whyNotFormed()
  for (let tries = 1; why !== undefined && tries < startsMax; tries++) {
    await end()
    start()
    why = await whyNotFormed()
  }
  if (why !== undefined) {
    throw new Error(`the cluster did not form; its servers said:\n${printed}`, { cause: why })
  }
  return {
    env,
    config,
    connect,
    store: async (timeoutMs = 2_000) => openStore(await connect(), { timeoutMs }),
    async killLeaderOf(stream) {
      const jsm = await (await connect()).jetstreamManager()
      const { cluster } = await jsm.streams.info(stream)
      const leader = members.find(({ name }) => name === cluster?.leader)
      if (leader === undefined) throw new Error(`${stream} has no leader`)
      await leader.child.kill()
      return leader.name
    },
  }
}

function memberConfig(
  name: string,
  dir: string,
  port: number,
  routePort: number,
  routes: readonly string[],
): string {
  return `
server_name: ${name}
listen: "127.0.0.1:${port}"
ping_interval: "2s"
ping_max: 2
authorization { user: ${user}, password: ${password} }
max_payload: 8MB
jetstream { store_dir: ${JSON.stringify(dir)}, max_file_store: 8GB, max_memory_store: 64MB }
cluster { name: test, listen: "127.0.0.1:${routePort}", routes: ${JSON.stringify(routes)} }
`
}
