// Goal: an actor has one owner, whatever freezes, vanishes or answers late; what was answered stays
// true.
import t from 'tap'
import { decode } from '../../proto/codec.ts'
import type { HostRecord } from '../../proto/host.ts'
import { limits } from '../../proto/limits.ts'
import { buckets } from '../../proto/subjects.ts'
import { Scenario } from './scenarios.ts'
import { times } from './sim-host.ts'

const certified = { certified: true, machine: false, restartAfterMs: 60_000 }

async function hostRecords({ world }: Scenario): Promise<HostRecord[]> {
  const entries = await world.memory.bucket(buckets.hosts).entries()
  return entries.map(({ value }) => decode<HostRecord>(value))
}

t.test('a zombie that wakes after its lease cannot write, and ends', async (t) => {
  const scenario = await Scenario.begin()
  const { owner, life } = scenario
  t.ok(await scenario.ask('add'))
  const answer = scenario.send({ type: 'add' }, 30_000)
  await scenario.run(0.05)
  owner.freeze()
  await scenario.untilTrue(() => scenario.world.ownerOf('c1') !== owner, 'the lease lapses')
  await scenario.untilOwned()
  t.ok(await scenario.world.timeline.until(answer, 30_000))
  const before = await scenario.entries()
  owner.thaw()
  await scenario.run(2_000)
  t.equal(life.process.state, 'dead')
  const after = await scenario.entries()
  t.notOk(after.slice(before.length).some(({ writer }) => writer === life.incarnation))
  t.strictSame(await scenario.findings(), [])
})

t.test(
  'a host that was frozen for less than its lease goes on as if nothing had been',
  async (t) => {
    const scenario = await Scenario.begin()
    const { owner, life } = scenario
    owner.freeze()
    await scenario.run(times.leaseMs - times.renewMs - times.safetyMs - 500)
    owner.thaw()
    await scenario.run(5_000)
    t.equal(scenario.life, life)
    t.ok(await scenario.ask('add'))
    t.strictSame(await scenario.findings(), [])
  },
)

t.test('an append whose ack was lost is not appended again', async (t) => {
  const scenario = await Scenario.begin()
  const { life, world } = scenario
  const before = (await scenario.entries()).length
  const answer = scenario.send({ type: 'add' })
  // Nothing reaches the owner while the entry lands; then its wire is whole again.
  await world.timeline.untilTrue(() => world.appends > before, 1_000, 'the entry lands')
  life.link.faults = { ...life.link.faults, lost: 1 }
  await scenario.run(600)
  life.link.faults = { ...life.link.faults, lost: 0 }
  t.ok(await world.timeline.until(answer, 10_000))
  t.equal((await scenario.entries()).length, before + 1)
  t.strictSame(await scenario.findings(), [])
})

t.test(
  'an entry that landed for an owner that then died is not taken again by its heir',
  async (t) => {
    const scenario = await Scenario.begin()
    const { world, owner } = scenario
    const before = world.appends
    const answer = scenario.send({ type: 'add' }, 20_000)
    await world.timeline.untilTrue(() => world.appends > before, 1_000, 'the entry lands')
    owner.kill(certified)
    t.ok(await world.timeline.until(answer, 20_000))
    t.strictSame((await scenario.context()).taken, ['r1'])
    t.strictSame(await scenario.findings(), [])
  },
)

t.test('a burst that is durable when its owner dies unheard is taken once', async (t) => {
  const scenario = await Scenario.begin()
  const { world, owner, life } = scenario
  const burst = limits.requestsLogged
  const before = world.appends
  const answers = Array.from({ length: burst }, () => scenario.send({ type: 'add' }, 20_000))
  await scenario.run(3)
  life.link.cut('bus')
  await scenario.untilTrue(() => world.appends === before + burst, 'all of it is durable')
  owner.kill(certified)
  t.ok((await world.timeline.until(Promise.all(answers), 21_000)).every(Boolean))
  t.equal((await scenario.context()).taken.length, burst)
  t.strictSame(await scenario.findings(), [])
})

t.test('a store that is away for less than the lease fences nobody', async (t) => {
  const scenario = await Scenario.begin()
  const lives = scenario.world.hosts.map(({ life }) => life)
  const { leaseMs, safetyMs, renewMs, tryMs } = times
  const longestMs = leaseMs - safetyMs - renewMs - tryMs - limits.leaseRetryMs - 50
  // Whatever moment between two renewals it goes away in.
  for (let sinceRenewalMs = 0; sinceRenewalMs < renewMs; sinceRenewalMs += 250) {
    scenario.world.setStoreDown(true)
    const answer = scenario.send({ type: 'add' })
    await scenario.run(longestMs)
    scenario.world.setStoreDown(false)
    t.ok(await scenario.world.timeline.until(answer, 10_000), 'what came meanwhile is answered')
    await scenario.run(15 * renewMs + sinceRenewalMs)
  }
  t.strictSame(
    scenario.world.hosts.map(({ life }) => life),
    lives,
  )
  t.ok((await hostRecords(scenario)).every(({ state }) => state === 'alive'))
  t.strictSame(await scenario.findings(), [])
})

t.test(
  'a store that is away for longer than the lease stops every host, and all comes back',
  async (t) => {
    const scenario = await Scenario.begin()
    t.ok(await scenario.ask('add'))
    scenario.world.setStoreDown(true)
    await scenario.run(times.leaseMs + 1_000)
    t.ok(scenario.world.hosts.every(({ life }) => !life?.holdsLease))
    scenario.world.setStoreDown(false)
    t.ok(await scenario.ask('add', 20_000))
    t.strictSame(await scenario.findings(), [])
  },
)

t.test('an observer that had lost the store declares nobody dead when it is back', async (t) => {
  const scenario = await Scenario.begin()
  const { world } = scenario
  const [observer, ...others] = world.hosts
  observer!.cut(['store'])
  // Its own lease lasts; two renewals of everybody else pass unseen.
  await scenario.run(3_500)
  observer!.mend()
  await scenario.run(10_000)
  t.ok(others.every(({ life }) => life?.holdsLease))
  t.ok((await hostRecords(scenario)).every(({ state }) => state === 'alive'))
  t.strictSame(await scenario.findings(), [])
})

t.test('a host cut off from the store is succeeded, though callers still reach it', async (t) => {
  const scenario = await Scenario.begin()
  const { owner, world } = scenario
  owner.cut(['store'])
  await scenario.untilTrue(() => world.ownerOf('c1') !== owner, 'its lease lapses')
  await scenario.untilOwned()
  t.ok(await scenario.ask('add'))
  t.strictSame(await scenario.findings(), [])
})

t.test('a certified death is not waited out', async (t) => {
  const scenario = await Scenario.begin()
  const diedMs = scenario.world.timeline.nowMs
  scenario.owner.kill(certified)
  t.ok(await scenario.ask('add'))
  t.ok(scenario.world.timeline.nowMs - diedMs < 1_000)
  t.strictSame(await scenario.findings(), [])
})

t.test('the death of a machine is noticed by its silence', async (t) => {
  const scenario = await Scenario.begin()
  const diedMs = scenario.world.timeline.nowMs
  scenario.owner.kill({ certified: false, machine: true, restartAfterMs: 60_000 })
  t.ok(await scenario.ask('add', 30_000))
  const lastedMs = scenario.world.timeline.nowMs - diedMs
  t.ok(lastedMs > times.leaseMs / 2)
  t.ok(lastedMs < times.leaseMs + times.safetyMs + 4_000)
  t.strictSame(await scenario.findings(), [])
})
