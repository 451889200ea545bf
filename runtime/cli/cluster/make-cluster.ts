/**
 * Creates the files of a service on several hosts: a nats-server configuration with a user for each
 * role and each browser host, and the files of each host. The files of one host give no rights of
 * another.
 */
import { randomBytes } from 'node:crypto'
import { chmodSync, copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makePrivateFolder } from '../../lib/files/make-folder.ts'
import type { AccountsPlan } from '../../store/nats/server/accounts.ts'
import { newNkeyUser, type NkeyUser } from '../../store/nats/server/nkey.ts'
import { syncsAlways } from '../../store/nats/server/server.ts'
import { makeCertificate } from './certificate.ts'
import { serverConfig } from './server-config.ts'

export interface ClusterOrder {
  /** The name or address where the hosts reach nats-server. */
  readonly host: string
  readonly port: number
  /** NODE_ID of each browser host, and its address, or '' if unknown. */
  readonly browserHosts: ReadonlyMap<string, string>
  readonly tls: boolean
  /** Of the nats-server that will run. */
  readonly natsVersion: string
  /** Must not exist. */
  readonly outDir: string
  /** The folder of the files on each host. */
  readonly etcDir: string
  readonly natsEtcDir: string
  readonly storeDir: string
}

/** Fixed, because firewalls need to know it. */
const dataPort = 7070

/** Creates one folder per host, readable by the owner only. */
export async function makeCluster(order: ClusterOrder): Promise<void> {
  const { host, port, outDir, natsEtcDir, storeDir, tls, natsVersion, browserHosts } = order
  const [actors, gateway, watcher] = [newNkeyUser(), newNkeyUser(), newNkeyUser()]
  const agents = new Map([...browserHosts.keys()].map((nodeId) => [nodeId, newNkeyUser()]))
  const accounts: AccountsPlan = {
    actors: { nkey: actors.nkey },
    gateway: { nkey: gateway.nkey },
    nodeAgents: new Map([...agents].map(([nodeId, { nkey }]) => [nodeId, { nkey }])),
    watcher: { nkey: watcher.nkey },
  }
  const nats = join(outDir, 'nats')
  makePrivateFolder(nats)
  if (tls) {
    await makeCertificate(nats, host)
    chmodSync(join(nats, 'server.key'), 0o600)
  }
  const syncs = syncsAlways(natsVersion)
  const conf = serverConfig({ port, etcDir: natsEtcDir, storeDir, tls, syncs, accounts })
  write(join(nats, 'nats-server.conf'), conf)

  const core = new HostFolder(order, 'core')
  const sealKey = { SEAL_KEY: randomBytes(32).toString('base64') }
  core.role('actors', actors, sealKey)
  core.role('gateway', gateway, sealKey)
  core.role('watcher', watcher, {})
  for (const [nodeId, user] of agents) {
    const folder = new HostFolder(order, `browsers-${nodeId}`)
    const address = browserHosts.get(nodeId)
    const reached = address && { DATA_HOST: address, DATA_PORT: String(dataPort) }
    folder.role('node-agent', user, { NODE_ID: nodeId, ...(reached || undefined) })
  }
}

class HostFolder {
  readonly #order: ClusterOrder
  readonly #dir: string

  constructor(order: ClusterOrder, name: string) {
    this.#order = order
    this.#dir = join(order.outDir, name)
    makePrivateFolder(this.#dir)
    if (order.tls) copyFileSync(join(order.outDir, 'nats', 'server.pem'), join(this.#dir, 'ca.pem'))
  }

  /** Writes the settings of one role and the seed that they refer to. */
  role(role: string, user: NkeyUser, more: Readonly<Record<string, string>>): void {
    const { host, port, tls, etcDir } = this.#order
    const address = host.includes(':') ? `[${host}]` : host
    const settings = {
      NATS_URL: `nats://${address}:${port}`,
      NATS_NKEY_FILE: `${etcDir}/${role}.nk`,
      ...(tls && { NATS_CA_FILE: `${etcDir}/ca.pem` }),
      ...more,
    }
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
    write(join(this.#dir, `${role}.env`), lines.join(''))
    write(join(this.#dir, `${role}.nk`), `${user.seed}\n`)
  }
}

function write(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
}
