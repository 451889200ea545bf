// Goal: an actor has one owner, whatever freezes, disappears or answers late; acknowledged commands
// stay in effect.
import t from 'tap'
import { decode } from '../../../proto/codec.ts'
import type { HostRecord } from '../../../proto/host.ts'
import { buckets, ownerKey, subjects } from '../../../proto/subjects.ts'
import type { OwnerRecord } from '../../../runtime/actor/ownership/ownership.ts'
import { Scenario } from './scenarios.ts'
import { times } from '../world/host.ts'
import { actorLimits } from '../../../runtime/actor/limits.ts'
import { entriesOf } from '../../../runtime/store/entries-of.ts'
import { clusterLimits } from '../../../runtime/cluster/limits.ts'

const certified = { certified: true, machine: false, restartAfterMs: 60_000 }

async function hostRecords({ world }: Scenario): Promise<HostRecord[]> {
  const entries = await entriesOf(world.memory.bucket(buckets.hosts))
  return entries.map(({ value }) => decode<HostRecord>(value))
}

t.test('an owner that wakes after its lease cannot write, and exits', async (t) => {
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
  'a host that was frozen for less than its lease continues without any effect on its actors',
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

t.test('a machine that was suspended for longer than its lease is not believed', async (t) => {
  const scenario = await Scenario.begin()
  const { owner, life, world } = scenario
  owner.suspend()
  await scenario.untilTrue(() => world.ownerOf('c1') !== owner, 'its lease is over for the others')
  await scenario.untilOwned()
  t.ok(await scenario.ask('add'))
  owner.thaw()
  const left = world.ownerOf('c1')!.life!.link
  // Callers meet the old owner, whose own clock says that its lease is valid.
  left.cut('bus')
  await scenario.run(350)
  await scenario.get(1_000)
  left.mend()
  await scenario.run(2_000)
  t.equal(life.process.state, 'dead')
  t.strictSame(await scenario.findings(), [])
})

t.test('a wall clock that is set fences nobody, and nothing waits for it', async (t) => {
  const scenario = await Scenario.begin()
  const { world } = scenario
  const lives = world.hosts.map(({ life }) => life)
  for (const skewMs of [-900, 900, 0]) {
    for (const host of world.hosts) host.setClock(skewMs)
    t.ok(await scenario.get(100))
  }
  await scenario.run(20_000)
  t.strictSame(
    world.hosts.map(({ life }) => life),
    lives,
  )
  t.equal((await scenario.entries()).length, 1)
  t.strictSame(await scenario.findings(), [])
})

t.test('an append whose acknowledgement was lost is not repeated', async (t) => {
  const scenario = await Scenario.begin()
  const { life, world } = scenario
  const before = (await scenario.entries()).length
  const answer = scenario.send({ type: 'add' })
  // Nothing reaches the owner while the entry lands; then its connection works again.
  await world.timeline.untilTrue(() => world.appends > before, 1_000, 'the entry lands')
  life.link.faults = { ...life.link.faults, lost: 1 }
  await scenario.run(600)
  life.link.faults = { ...life.link.faults, lost: 0 }
  t.ok(await world.timeline.until(answer, 10_000))
  t.equal((await scenario.entries()).length, before + 1)
  t.strictSame(await scenario.findings(), [])
})

t.test(
  'a command whose entry landed before its owner died is not taken again by the next owner',
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

t.test('a burst that is durable when its owner dies unacknowledged is taken once', async (t) => {
  const scenario = await Scenario.begin()
  const { world, owner, life } = scenario
  const burst = actorLimits.mailboxCommands
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

t.test('a store outage shorter than the lease fences no host', async (t) => {
  const scenario = await Scenario.begin()
  const lives = scenario.world.hosts.map(({ life }) => life)
  const { leaseMs, safetyMs, renewMs, tryMs } = times
  const longestMs = leaseMs - safetyMs - renewMs - tryMs - clusterLimits.leaseRetryMs - 50
  // The outage begins at each moment between two renewals.
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
  'a store outage longer than the lease stops every host, and afterwards all of them come back',
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

t.test('an observer that had lost the store declares no host dead when it is back', async (t) => {
  const scenario = await Scenario.begin()
  const { world } = scenario
  const [observer, ...others] = world.hosts
  observer!.cut(['store'])
  // Its own lease lasts; it misses two renewals of every other host.
  await scenario.run(3_500)
  observer!.mend()
  await scenario.run(10_000)
  t.ok(others.every(({ life }) => life?.holdsLease))
  t.ok((await hostRecords(scenario)).every(({ state }) => state === 'alive'))
  t.strictSame(await scenario.findings(), [])
})

t.test('a host cut off from the store is replaced, though callers still reach it', async (t) => {
  const scenario = await Scenario.begin()
  const { owner, world } = scenario
  owner.cut(['store'])
  await scenario.untilTrue(() => world.ownerOf('c1') !== owner, 'its lease lapses')
  await scenario.untilOwned()
  t.ok(await scenario.ask('add'))
  t.strictSame(await scenario.findings(), [])
})

t.test('a certified death is not waited for', async (t) => {
  const scenario = await Scenario.begin()
  const diedMs = scenario.world.timeline.nowMs
  scenario.owner.kill(certified)
  t.ok(await scenario.ask('add'))
  t.ok(scenario.world.timeline.nowMs - diedMs < 1_000)
  t.strictSame(await scenario.findings(), [])
})

t.test('the death of a machine is detected by its silence', async (t) => {
  const scenario = await Scenario.begin()
  const diedMs = scenario.world.timeline.nowMs
  scenario.owner.kill({ certified: false, machine: true, restartAfterMs: 60_000 })
  t.ok(await scenario.ask('add', 30_000))
  const lastedMs = scenario.world.timeline.nowMs - diedMs
  t.ok(lastedMs > times.leaseMs / 2)
  t.ok(lastedMs < times.leaseMs + times.safetyMs + 4_000)
  t.strictSame(await scenario.findings(), [])
})

t.test('a lost owner record does not let an epoch go back', async (t) => {
  const scenario = await Scenario.begin()
  const { world } = scenario
  for (const _ of [1, 2]) {
    scenario.owner.kill({ ...certified, restartAfterMs: 200 })
    t.ok(await scenario.ask('add'))
  }
  const epoch = (await scenario.entries()).at(-1)!.epoch
  t.equal(epoch, 3)
  await world.memory.bucket(buckets.owners).delete(ownerKey('counter', 'c1'))
  scenario.owner.kill(certified)
  t.ok(await scenario.ask('add'))
  t.equal((await scenario.entries()).at(-1)!.epoch, epoch + 1)
  t.strictSame(await scenario.findings(), [])
})

t.test('nor does one that is lost before its actor is created a second time', async (t) => {
  const scenario = await Scenario.begin()
  const { world } = scenario
  scenario.owner.kill({ ...certified, restartAfterMs: 200 })
  t.ok(await scenario.ask('add'))
  await world.memory.bucket(buckets.owners).delete(ownerKey('counter', 'c1'))
  scenario.owner.kill(certified)
  const created = world.caller.create('c1', { timeoutMs: 10_000 })
  t.ok(await world.timeline.until(created, 11_000))
  t.equal((await scenario.entries()).at(-1)!.epoch, 3)
  t.strictSame(await scenario.findings(), [])
})

t.test('a claim that wrote nothing before its record was lost is fenced', async (t) => {
  const scenario = await Scenario.begin()
  const { world, owner } = scenario
  const owners = world.memory.bucket(buckets.owners)
  owner.kill(certified)
  const answer = scenario.send({ type: 'add' }, 20_000)
  // The new owner has the record and freezes before it writes its first entry; then the record is
  // lost.
  const claims = world.claims
  await scenario.untilTrue(() => world.claims > claims, 'the heir claims')
  const { incarnation } = decode<OwnerRecord>((await owners.get(ownerKey('counter', 'c1')))!.value)
  const heir = world.hosts.find(({ life }) => life?.incarnation === incarnation)!
  heir.freeze()
  await owners.delete(ownerKey('counter', 'c1'))
  t.ok(await world.timeline.until(answer, 21_000))
  t.notOk((await scenario.entries()).some(({ writer }) => writer === incarnation))
  heir.thaw()
  await scenario.run(2_000)
  t.strictSame(await scenario.findings(), [])
})

t.test('one read that misses a host’s record does not end the host', async (t) => {
  const scenario = await Scenario.begin()
  const { world, life } = scenario
  const hosts = world.memory.bucket(buckets.hosts)
  const found = (await hosts.get(life.incarnation))!
  // Its next renewal meets another revision, and the read after it finds nothing.
  await hosts.put(life.incarnation, found.value)
  world.server.hidden = { key: life.incarnation, reads: 1 }
  await scenario.untilTrue(() => world.server.hidden?.reads === 0, 'the record is looked for')
  await scenario.run(times.leaseMs)
  t.equal(scenario.life, life)
  t.strictSame(await scenario.findings(), [])
})

t.test('a host whose record is permanently gone exits', async (t) => {
  const scenario = await Scenario.begin()
  const { world, life } = scenario
  await world.memory.bucket(buckets.hosts).delete(life.incarnation)
  await scenario.untilTrue(() => life.process.state === 'dead', 'it ends', times.leaseMs)
  t.ok(await scenario.ask('add', 20_000))
})

t.test('an orphan is taken over even if one read does not find its log', async (t) => {
  const scenario = await Scenario.begin()
  const { world } = scenario
  t.ok(await scenario.arm(20_000))
  const alarms = async () => (await scenario.context()).alarms
  world.server.hidden = { key: subjects.log('counter', 'c1'), reads: 1 }
  scenario.owner.kill(certified)
  await scenario.untilTrue(() => world.server.hidden?.reads === 0, 'its log is looked for')
  await scenario.run(30_000)
  t.equal(await alarms(), 1, 'its deadline was kept')
  t.strictSame(await scenario.findings(), [])
})

t.test(
  'two hosts with the same epoch, after a record was lost: the slower one is fenced',
  async (t) => {
    const scenario = await Scenario.begin()
    const { world, owner } = scenario
    const owners = world.memory.bucket(buckets.owners)
    const claims = world.claims
    owner.kill(certified)
    await scenario.untilTrue(() => world.claims > claims, 'the heir claims')
    const { incarnation } = decode<OwnerRecord>(
      (await owners.get(ownerKey('counter', 'c1')))!.value,
    )
    const heir = world.hosts.find(({ life }) => life?.incarnation === incarnation)!
    heir.freeze()
    await owners.delete(ownerKey('counter', 'c1'))
    const appends = world.appends
    const answer = scenario.send({ type: 'add' }, 20_000)
    await scenario.untilTrue(() => world.appends > appends, 'the other one writes')
    t.ok(heir.life?.holdsLease, 'its lease lasts')
    heir.thaw()
    t.ok(await world.timeline.until(answer, 21_000))
    t.notOk((await scenario.entries()).some(({ writer }) => writer === incarnation))
    t.strictSame(await scenario.findings(), [])
  },
)
