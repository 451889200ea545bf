/** A nats-server, and the settings of each role, as `troupe cluster init` writes them. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig, type Config } from '../../../runtime/config/config.ts'
import { freePort } from '../../../runtime/lib/network/free-port.ts'
import { openStore, type NatsStore } from '../../../runtime/store/nats/buckets.ts'
import { connectNats } from '../../../runtime/store/nats/connection.ts'
import { run, silent, type Teardown } from './nats.ts'
import { runTroupe } from '../service/run-troupe.ts'

export interface MadeCluster {
  /** The output of the command. */
  readonly said: string
  readonly dir: string
  /** The environment of a role: of `core`, or of a host with browsers. */
  env(host: string, role: string): Readonly<Record<string, string>>
  config(host: string, role: string): Config
  /** A store with the rights of actor hosts. */
  store(): Promise<NatsStore>
}

export async function makeTestCluster(
  t: Teardown,
  address: string,
  browsers: string,
): Promise<MadeCluster> {
  const root = mkdtempSync(join(tmpdir(), 'troupe-cluster-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  const dir = join(root, 'made')
  const etc = join(root, 'etc')
  const nats = join(dir, 'nats')
  const where = ['--out', dir, '--etc', etc, '--nats-etc', nats, '--store', join(root, 'store')]
  const port = await freePort(address)
  const { code, stdout, stderr } = await runTroupe([
    ...['cluster', 'init', '--nats', `${address}:${port}`, '--browsers', browsers],
    ...where,
  ])
  if (code !== 0) throw new Error(`troupe cluster init: ${stderr}`)
  const server = run('nats-server', ['--config', join(nats, 'nats-server.conf')])
  t.teardown(() => server.kill())

  const env = (host: string, role: string) => {
    const folder = join(dir, host)
    const lines = readFileSync(join(folder, `${role}.env`), 'utf8')
      .trim()
      .split('\n')
    // On its own host each folder would be at that path.
    const here = (line: string) => line.replace(etc, folder)
    return Object.fromEntries(lines.map((line) => here(line).split(/=(.*)/s).slice(0, 2)))
  }
  const config = (host: string, role: string) => {
    return loadConfig({ DATA_DIR: root, NODE_ID: host, ...env(host, role) })
  }
  return {
    said: stdout,
    dir,
    env,
    config,
    async store() {
      const nc = await connectNats(config('core', 'actors'), 'test', silent)
      t.teardown(() => nc.close())
      return openStore(nc, { timeoutMs: 2_000 })
    },
  }
}
