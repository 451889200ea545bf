/**
 * What a thousand processes cost each of them: the renewals of their leases, which every process sees,
 * and the search for the actors of one that died.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { encode } from '../../../proto/codec.ts'
import type { HostRecord } from '../../../proto/host.ts'
import { findOrphans } from '../../../runtime/actor/host/orphans.ts'
import type { OwnerRecord } from '../../../runtime/actor/ownership/ownership.ts'
import { leaseTimes } from '../../../runtime/cluster/lease.ts'
import { Membership } from '../../../runtime/cluster/membership.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { MemoryStore } from '../../helpers/runtime/memory-store.ts'
import { silent } from '../../helpers/nats/nats.ts'
import { ms, type Bench, type Figure } from '../lib/report.ts'

const processes = 1_000
const orphans = 3_000
const renewals = 20_000
const { renewMs } = leaseTimes(true)
/** Measurements by the event loop's own monitor start after it has run for a while. */
const settleMs = 50

export const manyHosts: Bench = {
  name: 'many-hosts',
  on: 'nothing',
  run: async () => [await renewalCost(), await searchCost()],
}

const recordOf = (n: number, wallMs: number): HostRecord => ({
  ...{ state: 'alive', incarnation: `h${n}.actors.1`, nodeId: `h${n}`, role: 'actors' },
  ...{ leaseMs: 20_000, machine: `m${n}`, version: '0', labels: [], mixesHashes: true, wallMs },
  machineLoad: {
    cores: 8,
    load: 1,
    memoryBytes: 2 ** 34,
    memoryFreeBytes: 2 ** 33,
    processBytes: 2 ** 27,
  },
})

async function renewalCost(): Promise<Figure> {
  const seen = await putsTake(async (hosts) => {
    const membership = await Membership.open({ hosts, clock: systemClock, log: silent })
    return () => membership.stop()
  })
  const alone = await putsTake(async () => () => undefined)
  const microseconds = ((seen - alone) / renewals) * 1_000
  const share = (microseconds * processes) / (renewMs * 1_000)
  return {
    name: `a renewal, seen by a process; of ${processes} processes, each ${renewMs / 1_000} s`,
    ours: `${microseconds.toFixed(1)} µs, ${(share * 100).toFixed(1)} % of a core`,
    target: '≤ 1 %',
    met: share <= 0.01,
  }
}

type Bucket = ReturnType<MemoryStore['bucket']>

async function putsTake(follow: (hosts: Bucket) => Promise<() => void>): Promise<number> {
  const hosts = new MemoryStore().bucket('hosts')
  const put = (n: number) => hosts.put(`h${n}.actors.1`, encode(recordOf(n, Date.now())))
  for (let n = 0; n < processes; n++) await put(n)
  const stop = await follow(hosts)
  const beganMs = performance.now()
  for (let n = 0; n < renewals; n++) await put(n % processes)
  const tookMs = performance.now() - beganMs
  stop()
  return tookMs
}

async function searchCost(): Promise<Figure> {
  const hosts = Array.from({ length: processes }, (_, n) => recordOf(n, 0))
  const owner: OwnerRecord = { state: 'owned', incarnation: 'dead.actors.1', epoch: 1 }
  const owners = Array.from({ length: orphans }, (_, n) => [`session.ses_${n}`, owner] as const)
  const membership = { available: () => hosts, isDead: async () => true }
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await pause(settleMs)
  delay.reset()
  const beganMs = performance.now()
  const { incarnation } = hosts[0]!
  await findOrphans(owners, () => false, { membership, incarnation, log: silent })
  const tookMs = performance.now() - beganMs
  await pause(settleMs)
  const longestMs = delay.max / 1e6
  return {
    name: `${orphans} orphans, ${processes} hosts: the search of one; its longest turn`,
    ours: `${ms(tookMs)}; ${ms(longestMs)}`,
    target: '≤ 50 ms a turn',
    met: longestMs <= 50,
  }
}
