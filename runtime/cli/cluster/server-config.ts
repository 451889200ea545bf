/** The nats-server configuration of a service on several hosts. */
import { limits } from '../../../proto/limits.ts'
import { accountsConfig, type AccountsPlan } from '../../store/nats/server/accounts.ts'

export interface ServerPlan {
  readonly port: number
  /** The folder where its configuration will be. */
  readonly etcDir: string
  readonly storeDir: string
  readonly tls: boolean
  /** Whether its nats-server can write each message to the disk before it acknowledges it. */
  readonly syncs: boolean
  readonly accounts: AccountsPlan
}

export function serverConfig(plan: ServerPlan): string {
  const { port, etcDir, storeDir, tls, syncs, accounts } = plan
  return `# The nats-server of a Troupe service: nats-server --config ${etcDir}/nats-server.conf
# One is enough for most: while it restarts, browsers and their sockets go on, and nothing is lost.
# A cluster of three needs nats-server 2.10.27 or newer; Troupe refuses older ones there, whose
# compare-and-set can have two winners.

server_name: troupe
listen: "0.0.0.0:${port}"
# Dead connections must be noticed before leases lapse.
ping_interval: "${limits.natsPingMs / 1000}s"
ping_max: ${limits.natsPingsUnanswered}
# A screenshot or a clipboard is one message.
max_payload: ${limits.natsMessageBytes}

jetstream {
  store_dir: ${JSON.stringify(storeDir)}
  # As much as STORE_MAX_MIB of Troupe, whose streams reserve their shares of it. Never lower it
  # below that: a server that finds less than was reserved does not bring all streams back.
  max_file_store: ${limits.natsStoreMib}MB
  max_memory_store: ${limits.natsMemoryStoreBytes}
  # From 2.10 on: what was acknowledged is on the disk, even if the machine crashes.
  ${syncs ? '' : '# '}sync_interval: always
}
${tls ? tlsConfig(etcDir) : '\n# No TLS: only for hosts that trust the network between them.\n'}
${accountsConfig(accounts)}`
}

function tlsConfig(etcDir: string): string {
  return `
tls {
  cert_file: ${JSON.stringify(`${etcDir}/server.pem`)}
  key_file: ${JSON.stringify(`${etcDir}/server.key`)}
}
`
}
