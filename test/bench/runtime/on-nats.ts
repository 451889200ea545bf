/** What benches without a service need: cleanup as a test has it, and membership in the cluster. */
import { newIncarnation } from '../../../proto/ids.ts'
import { buckets } from '../../../proto/subjects.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { Lease, leaseTimes } from '../../../runtime/cluster/lease.ts'
import { Membership } from '../../../runtime/cluster/membership.ts'
import type { NatsStore } from '../../../runtime/store/nats/buckets.ts'
import { silent, startNats, type Teardown, type TestNats } from '../../helpers/nats/nats.ts'

/** Cleans up in reverse order, also when `work` throws. */
export async function cleaned<T>(work: (t: Teardown) => Promise<T>): Promise<T> {
  const cleaners: (() => unknown)[] = []
  try {
    return await work({ teardown: (clean) => cleaners.unshift(clean) })
  } finally {
    for (const clean of cleaners) await clean()
  }
}

/** Runs `work` with its own nats-server, which is stopped afterwards. */
export const onNats = <T>(work: (nats: TestNats) => Promise<T>): Promise<T> =>
  cleaned(async (t) => work(await startNats(t)))

/** Takes a lease as a process of the role `actors` does. */
export async function joinHosts(store: NatsStore) {
  const hosts = store.bucket(buckets.hosts)
  const incarnation = newIncarnation('bench', 'actors')
  const lease = await Lease.acquire({
    hosts,
    clock: systemClock,
    times: leaseTimes(false),
    describe: () => ({ incarnation, nodeId: 'bench', role: 'actors', machine: '', version: '' }),
    onLapsed: () => undefined,
    onDead: () => undefined,
  })
  const membership = await Membership.open({ hosts, clock: systemClock, log: silent })
  return {
    lease,
    membership,
    async leave() {
      await lease.release()
      membership.stop()
    },
  }
}
