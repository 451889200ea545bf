/**
 * Direct access to a running service's actors and store, which clients do not have: for tests of
 * what would otherwise take minutes.
 */
import { buckets, streams } from '../../../proto/subjects.ts'
import { openStore, type NatsStore } from '../../../runtime/store/nats/buckets.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { loadConfig } from '../../../runtime/config/config.ts'
import { connectNats, type NatsConnection } from '../../../runtime/store/nats/connection.ts'
import { NatsBus } from '../../../runtime/store/nats/nats-bus.ts'
import { Directory } from '../../../runtime/actor/directory.ts'
import { Membership } from '../../../runtime/cluster/membership.ts'
import { privateNats } from '../../../runtime/store/nats/server/server.ts'
import { silent } from '../nats/nats.ts'

export interface Insider {
  readonly directory: Directory
  readonly store: NatsStore
  /** While held, records of tasks find no room, and each waits to be published. */
  holdRecords(isHeld: boolean): Promise<void>
  /** While it does, the stream has no room for any message. */
  refuseAll(stream: string, doesRefuse: boolean): Promise<void>
  close(): Promise<void>
}

export async function openInsider(dataDir: string): Promise<Insider> {
  const config = loadConfig({ DATA_DIR: dataDir, NODE_ID: 'insider' })
  const nats = privateNats(config)
  if (!nats) throw new Error(`no nats-server has run in ${dataDir}`)
  const { url, user, password } = nats
  const access = { NATS_URL: url, NATS_USER: user, NATS_PASSWORD: password }
  return insiderOn(await connectNats({ ...config, ...access }, 'insider', silent))
}

/** On its own connection, which it closes. */
export async function insiderOn(nc: NatsConnection): Promise<Insider> {
  const store = await openStore(nc, { timeoutMs: 2_000 })
  const hosts = store.bucket(buckets.hosts)
  const membership = await Membership.open({ hosts, clock: systemClock, log: silent })
  const refuseAll = async (stream: string, doesRefuse: boolean) => {
    const { streams: managed } = await nc.jetstreamManager()
    await managed.update(stream, { max_msg_size: doesRefuse ? 1 : -1 })
  }
  return {
    directory: new Directory(new NatsBus(nc), systemClock, membership),
    store,
    holdRecords: (isHeld) => refuseAll(streams.steps, isHeld),
    refuseAll,
    async close() {
      membership.stop()
      await nc.close()
    },
  }
}
