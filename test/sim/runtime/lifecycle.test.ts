// Goal: actors are handed over, unloaded and loaded again without losing anything, especially not
// their deadlines.
import t from 'tap'
import { decode, encode } from '../../../proto/codec.ts'
import { buckets, ownerKey, subjects } from '../../../proto/subjects.ts'
import type { LogEntry } from '../../../runtime/actor/log.ts'
import type { OwnerRecord } from '../../../runtime/actor/ownership/ownership.ts'
import { Scenario } from './scenarios.ts'
import { entriesOf } from '../../../runtime/store/entries-of.ts'
import { actorLimits } from '../../../runtime/actor/limits.ts'

const certified = { certified: true, machine: false, restartAfterMs: 60_000 }
const unnoticed = { certified: false, machine: true, restartAfterMs: 60_000 }

async function ownerRecord({ world, id }: Scenario): Promise<OwnerRecord | undefined> {
  const entry = await world.memory.bucket(buckets.owners).get(ownerKey('counter', id))
  return entry && decode<OwnerRecord>(entry.value)
}

t.test('a host that drains hands its actors over while they are in use', async (t) => {
  const scenario = await Scenario.begin()
  const { owner, world } = scenario
  t.ok(await scenario.ask('add'))
  const answers = Array.from({ length: 5 }, () => scenario.send({ type: 'add' }))
  owner.drain(60_000)
  t.ok((await world.timeline.until(Promise.all(answers), 10_000)).every(Boolean))
  await scenario.untilTrue(() => owner.life === undefined, 'the host has ended')
  t.ok(await scenario.ask('add'))
  t.not(scenario.owner, owner)
  t.strictSame(await scenario.findings(), [])
})

t.test('an actor with a deadline is taken over from a drained host unrequested', async (t) => {
  const scenario = await Scenario.begin()
  const { owner } = scenario
  t.ok(await scenario.arm(20_000))
  owner.drain(60_000)
  await scenario.run(5_000)
  t.ok(scenario.world.ownerOf('c1'))
  t.not(scenario.owner, owner)
  await scenario.run(20_000)
  t.equal((await scenario.context()).alarms, 1)
  t.strictSame(await scenario.findings(), [])
})

t.test('an idle actor is unloaded, stays unloaded, and is loaded when asked', async (t) => {
  const scenario = await Scenario.begin()
  t.ok(await scenario.ask('add'))
  await scenario.run(actorLimits.passivateAfterMs + 3 * actorLimits.ownershipSweepMs)
  t.notOk(scenario.isServed())
  t.equal((await ownerRecord(scenario))?.state, 'resting')
  const before = (await scenario.entries()).length
  await scenario.run(actorLimits.passivateAfterMs)
  t.equal((await scenario.entries()).length, before)
  t.ok(await scenario.ask('add'))
  t.equal((await scenario.context()).taken.length, 2)
  t.strictSame(await scenario.findings(), [])
})

t.test('unloaded actors of a host that dies stay unloaded', async (t) => {
  const scenario = await Scenario.begin()
  const { owner } = scenario
  await scenario.run(actorLimits.passivateAfterMs + 3 * actorLimits.ownershipSweepMs)
  t.notOk(scenario.isServed())
  owner.kill(certified)
  await scenario.run(10_000)
  t.notOk(scenario.isServed())
  t.ok(await scenario.ask('add'))
  t.strictSame(await scenario.findings(), [])
})

t.test('a host counts the actors that it took over from the dead, and no others', async (t) => {
  const scenario = await Scenario.begin()
  const { owner } = scenario
  t.ok(await scenario.arm(600_000))
  t.match(owner.life?.load, { residents: 1, takeovers: 0 })
  owner.kill(certified)
  await scenario.run(10_000)
  const heir = scenario.owner
  t.match(heir.life?.load, { residents: 1, takeovers: 1 })
  heir.drain(60_000)
  await scenario.run(10_000)
  t.not(scenario.owner, heir)
  t.match(scenario.owner.life?.load, { residents: 1, takeovers: 0 }, 'it was handed over')
  t.strictSame(await scenario.findings(), [])
})

t.test(
  'one that cannot be loaded is tried less and less, then given up and reported',
  async (t) => {
    const scenario = await Scenario.begin()
    t.ok(await scenario.arm(60 * 60_000))
    const { owner, world, id } = scenario
    const { log } = world.memory
    const subject = subjects.log('counter', id)
    const { data, seq } = (await log.last(subject))!
    owner.kill(certified)
    const broken = encode({ ...decode<LogEntry>(data), snapshot: { value: 'gone' } })
    const brokenSeq = await log.append(subject, broken, seq)

    const { epoch } = (await ownerRecord(scenario))!
    await scenario.run(2_000)
    const given = () => world.hosts.find(({ life }) => life?.load?.failed)
    t.notOk(given())
    await scenario.run(10 * 60_000)
    const heir = given()!
    t.equal((await ownerRecord(scenario))!.epoch - epoch, actorLimits.loadTries)
    t.match(heir.life?.load, { failed: 1, failures: [{ kind: 'counter', id, reason: /./ }] })
    t.notOk(await scenario.ask('add'), 'a request is another try')

    await log.append(subject, data, brokenSeq)
    t.notOk(await scenario.ask('add'), 'but not at once')
    t.match(heir.life?.load, { failed: 1 })
    await scenario.run(actorLimits.loadRetryMaxMs)
    t.ok(await scenario.ask('add'))
    t.match(heir.life?.load, { failed: 0, failures: [] })
  },
)

t.test('an actor with a deadline is not unloaded', async (t) => {
  const scenario = await Scenario.begin()
  t.ok(await scenario.arm(3 * actorLimits.passivateAfterMs))
  await scenario.run(2 * actorLimits.passivateAfterMs)
  t.ok(scenario.isServed())
  await scenario.run(2 * actorLimits.passivateAfterMs)
  t.equal((await scenario.context()).alarms, 1)
  t.strictSame(await scenario.findings(), [])
})

t.test('a deadline that passed while the actor had no owner rings after recovery', async (t) => {
  const scenario = await Scenario.begin()
  t.ok(await scenario.arm(3_000))
  scenario.owner.kill(unnoticed)
  await scenario.run(4_000)
  t.notOk(scenario.world.ownerOf('c1'))
  await scenario.run(10_000)
  t.equal((await scenario.context()).alarms, 1)
  t.strictSame(await scenario.findings(), [])
})

t.test('a deadline that is moved while queued does not ring before its new time', async (t) => {
  const scenario = await Scenario.begin()
  const { world } = scenario
  t.ok(await scenario.arm(5_000))
  await scenario.run(4_950)
  // The store is slow to store the new deadline; the old one fires meanwhile.
  scenario.life.link.faults = { delayMs: [30, 40], slow: 0, slowMs: 0, lost: 0 }
  const moved = scenario.send({ type: 'arm', afterMs: 5_000 })
  t.ok(await world.timeline.until(moved, 1_000))
  await scenario.run(1_000)
  t.equal((await scenario.context()).alarms, 0)
  await scenario.run(5_000)
  t.equal((await scenario.context()).alarms, 1)
  t.strictSame(await scenario.findings(), [])
})

t.test('a full mailbox answers busy, and takes commands again later', async (t) => {
  const scenario = await Scenario.begin()
  const { world, life } = scenario
  life.link.faults = { delayMs: [50, 50], slow: 0, slowMs: 0, lost: 0 }
  const many = actorLimits.mailboxCommands + 100
  const answers = Array.from({ length: many }, () => scenario.send({ type: 'add' }, 60_000))
  const answered = await world.timeline.until(Promise.all(answers), 70_000)
  const taken = answered.filter(Boolean).length
  t.ok(taken >= actorLimits.mailboxCommands)
  t.ok(taken < many)
  t.ok(await scenario.ask('add'))
  t.equal((await scenario.context()).taken.length, taken + 1)
  t.strictSame(await scenario.findings(), [])
})

t.test('an unknown actor is not found and leaves nothing behind', async (t) => {
  const scenario = await Scenario.begin()
  const { caller, memory, timeline } = scenario.world
  const options = { timeoutMs: 10_000 }
  t.notOk(await timeline.until(caller.ask('nobody', { type: 'get' }, options), 11_000))
  t.equal((await entriesOf(memory.bucket(buckets.owners))).length, 1)
  t.strictSame(await scenario.findings(), [])
})

t.test(
  'a creation that died before its first entry is unloaded, and the actor can be created again',
  async (t) => {
    const scenario = await Scenario.begin()
    const { caller, hosts, memory, timeline } = scenario.world
    const owners = memory.bucket(buckets.owners)
    const creation = caller.create('c2', { timeoutMs: 1_500 })
    await timeline.untilTrue(() => scenario.world.claims > 1, 1_000, 'it is claimed')
    for (const host of hosts) host.kill({ ...certified, restartAfterMs: 2_000 })
    t.notOk(await timeline.until(creation, 2_000))
    await scenario.run(15_000)
    const record = decode<OwnerRecord>((await owners.get(ownerKey('counter', 'c2')))!.value)
    t.equal(record.state, 'resting')
    t.ok(await timeline.until(caller.create('c2', { timeoutMs: 10_000 }), 11_000))
    t.strictSame(await scenario.findings(), [])
  },
)

t.test('an actor is taken over from an owner of which there is no record any more', async (t) => {
  const scenario = await Scenario.begin()
  const { owner, life, world } = scenario
  t.ok(await scenario.arm(30_000))
  owner.kill(unnoticed)
  // As an hour after its death; the other hosts hear nothing of it.
  for (const host of world.hosts) if (host !== owner) host.cut(['store'])
  await world.memory.bucket(buckets.hosts).delete(life.incarnation)
  for (const host of world.hosts) host.mend()
  await scenario.run(40_000)
  t.equal((await scenario.context()).alarms, 1)
  t.strictSame(await scenario.findings(), [])
})
