// Goal: when the one of three nats-servers that leads the leases dies, an election takes up to nine
// seconds, or twice as long if no server wins the first one; leases must outlast it.
import t from 'tap'
import { bucketStream } from '../../../runtime/store/nats/stream-plan.ts'
import { buckets } from '../../../proto/subjects.ts'
import { startCluster } from '../../helpers/nats/nats-cluster.ts'
import { modernServer } from '../../helpers/nats/nats-modern.ts'
import { findings, renewals, startFleet } from '../runtime/fleet.ts'

const modern = await modernServer()
const skip = 'missing' in modern ? modern.missing : false
/** What is chosen in a cluster by default. */
const leaseSeconds = 0

t.test(
  'no host is fenced when the server that leads their leases is killed',
  { skip },
  async (t) => {
    if ('missing' in modern) return
    const cluster = await startCluster(t, modern.bin)
    const fleet = await startFleet(t, { env: cluster.env, leaseSeconds })
    await cluster.killLeaderOf(bucketStream(buckets.hosts))
    t.comment(`every lease was renewed after ${Math.round(await renewals(fleet))} ms`)
    t.comment(`every counter went on ${Math.round(await fleet.load.progress())} ms later`)
    t.ok(fleet.hosts.every((host) => host.running))
    for (const { incarnation } of fleet.hosts) {
      t.equal(fleet.membership.get(incarnation)?.state, 'alive')
    }
    t.same(await findings(fleet), [])
  },
)
