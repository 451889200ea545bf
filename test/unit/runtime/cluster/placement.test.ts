/**
 * Goal: every process chooses the same host for an actor, the actors are spread evenly, only those of a
 * host that dies move, and a thousand hosts with thousands of orphans do not stop a process. Method:
 * the real functions on records of hosts.
 */
import { pino } from 'pino'
import t from 'tap'
import type { HostRecord } from '../../../../proto/host.ts'
import { findOrphans } from '../../../../runtime/actor/host/orphans.ts'
import { actorLimits } from '../../../../runtime/actor/limits.ts'
import type { OwnerRecord } from '../../../../runtime/actor/ownership/ownership.ts'
import { placementAmong, rendezvousHost } from '../../../../runtime/cluster/placement.ts'

const hostsOf = (count: number, more: Partial<HostRecord> = { mixesHashes: true }) =>
  Array.from({ length: count }, (_, i): HostRecord => {
    const identity = { incarnation: `h${i}.actors.1`, nodeId: `h${i}`, role: 'actors' } as const
    return { ...identity, state: 'alive', leaseMs: 6_000, machine: 'm', version: '0', ...more }
  })
const keys = Array.from({ length: 2_000 }, (_, i) => `session.ses_${i}`)
const choices = (hosts: readonly HostRecord[]) =>
  keys.map((key) => rendezvousHost(key, hosts)?.incarnation)

for (const [version, more] of [
  ['this', { mixesHashes: true }],
  ['an older', {}],
] as const) {
  t.test(`hosts of ${version} version: evenly, in any order, and few move`, async (t) => {
    const hosts = hostsOf(5, more)
    const chosen = choices(hosts)
    t.same(choices(hosts.toReversed()), chosen)
    for (const { incarnation } of hosts) {
      const share = chosen.filter((one) => one === incarnation).length / keys.length
      t.ok(share > 0.16 && share < 0.24, `${incarnation} has ${share}`)
    }
    const [gone, ...left] = hosts
    const moved = choices(left).filter((one, i) => one !== chosen[i])
    t.equal(moved.length, chosen.filter((one) => one === gone!.incarnation).length)
    t.equal(rendezvousHost('any', [gone!]), gone)
    t.equal(rendezvousHost('any', []), undefined)
  })
}

t.test('beside hosts of an older version, all choose as those do', async (t) => {
  const [first, ...others] = hostsOf(4, {})
  t.same(choices([{ ...first!, mixesHashes: true }, ...others]), choices([first!, ...others]))
  t.notSame(choices(hostsOf(4)), choices(hostsOf(4, {})))
})

t.test('thousands of orphans among a thousand hosts leave turns to others', async (t) => {
  const hosts = hostsOf(1_000)
  const dead = 'h.actors.0'
  const owners = Array.from({ length: 4 * actorLimits.orphansPerTurn }, (_, i) => {
    return [`session.ses_${i}`, { state: 'owned', incarnation: dead, epoch: 1 }] as const
  }) satisfies (readonly [string, OwnerRecord])[]
  let asked = 0
  const membership = {
    available: () => hosts,
    isDead: async () => {
      asked++
      return true
    },
  }
  const log = pino({ level: 'silent' })
  let turns = 0
  let isOver = false
  const count = () => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const incarnation = hosts[7]!.incarnation
  const found = await findOrphans(owners, () => false, { membership, incarnation, log })
  isOver = true
  t.equal(asked, 1, 'of many actors of one owner')
  t.ok(turns >= 4, `${turns} turns`)
  const hostOf = placementAmong(hosts)
  const mine = owners.map(([key]) => key).filter((key) => hostOf(key) === hosts[7])
  t.same(found, mine)
})
