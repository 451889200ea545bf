// Goal: a process that stops renewing its lease is silent first and dead only after the grace
// period, and one that renews it again goes on as the same process. Method: real leases and
// memberships on an in-memory store, on a simulated clock; a store that is out of reach of one.
import { pino } from 'pino'
import t from 'tap'
import { decode } from '../../../../proto/codec.ts'
import type { HostRecord } from '../../../../proto/host.ts'
import type { Role } from '../../../../proto/ids.ts'
import { Lease, leaseTimes } from '../../../../runtime/cluster/lease.ts'
import {
  certifyDeath,
  certifyPredecessors,
  Membership,
} from '../../../../runtime/cluster/membership.ts'
import { StoreUnavailable, type Bucket } from '../../../../runtime/store/store.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'

const times = leaseTimes(false)
const graceMs = 30_000
const missedMs = times.leaseMs + times.safetyMs + 2_000
const log = pino({ level: 'silent' })

async function stage(role: Role, grace = graceMs) {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'any')
  const hosts = new MemoryStore().bucket('hosts')
  let isCut = false
  const reached: Bucket = new Proxy(hosts, {
    get: (bucket, name) => {
      if (isCut && (name === 'update' || name === 'get')) {
        return () => Promise.reject(new StoreUnavailable('cut off', undefined))
      }
      const value: unknown = Reflect.get(bucket, name)
      return typeof value === 'function' ? (value.bind(bucket) as unknown) : value
    },
  })
  const incarnation = `b.${role}.1` as const
  const identity = { incarnation, nodeId: 'b', role, machine: 'm', version: '0' } as const
  const ends: string[] = []
  const lease = await Lease.acquire({
    ...{ hosts: reached, clock, times, describe: () => identity },
    onLapsed: () => void ends.push('lapsed'),
    onDead: (by) => void ends.push(`dead by ${by}`),
  })
  const open = (by: string) =>
    Membership.open({
      ...{ hosts, clock, log },
      failureDetector: {
        ...{ by, safetyMs: times.safetyMs, graceMs: grace, mayDeclareDead: () => true },
      },
    })
  const memberships = [await open('x.actors.1'), await open('y.actors.1')]
  const [membership] = memberships
  const told: string[] = []
  membership!.onSilence(({ state }) => void told.push(state))
  membership!.onDead(({ state }) => void told.push(state))
  const state = async () => {
    const entry = await hosts.get(incarnation)
    return entry && decode<HostRecord>(entry.value).state
  }
  return {
    ...{ hosts, lease, membership: membership!, identity, told, ends, state, clock },
    cut: (now: boolean) => void (isCut = now),
    later: (ms: number) =>
      timeline.until(new Promise((done) => clock.timer(ms, () => done(0))), ms + 1_000),
    close() {
      lease.stop()
      for (const each of memberships) each.stop()
    },
  }
}

for (const role of ['node-agent', 'gateway'] as const) {
  t.test(`a ${role} that is cut off is silent, and alive again once it renews`, async (t) => {
    const { cut, later, state, told, ends, lease, close } = await stage(role)
    cut(true)
    await later(missedMs)
    t.equal(await state(), 'silent')
    t.notOk(lease.isValid())
    cut(false)
    await later(missedMs)
    t.equal(await state(), 'alive')
    t.ok(lease.isValid())
    t.same(told, ['silent', 'alive'])
    t.same(ends, ['lapsed'], 'it was never dead')
    close()
  })
}

t.test('one that does not come back is dead after the grace period, and then ends', async (t) => {
  const { cut, later, state, told, ends, close } = await stage('node-agent')
  cut(true)
  await later(missedMs + graceMs - 5_000)
  t.equal(await state(), 'silent')
  await later(10_000)
  t.equal(await state(), 'dead')
  t.same(told, ['silent', 'dead'], 'once each, though two observers watch it')
  cut(false)
  await later(missedMs)
  t.equal(await state(), 'dead', 'for good')
  t.match(ends, ['lapsed', /^dead by [xy]\.actors\.1$/])
  close()
})

t.test('an actor host is dead at once, because its actors can go on elsewhere', async (t) => {
  const { cut, later, told, close } = await stage('actors')
  cut(true)
  await later(missedMs)
  t.same(told, ['dead'])
  close()
})

t.test('without a grace period a browser host is dead at once', async (t) => {
  const { cut, later, told, close } = await stage('node-agent', 0)
  cut(true)
  await later(missedMs)
  t.same(told, ['dead'])
  close()
})

t.test('a silent process that was seen ending is dead at once', async (t) => {
  const { cut, later, hosts, identity, told, close } = await stage('node-agent')
  cut(true)
  await later(missedMs)
  await certifyDeath(hosts, identity.incarnation, 'supervisor')
  await later(2_000)
  t.same(told, ['silent', 'dead'])
  close()
})

t.test('one that shuts down while it is taken for silent is dead at once', async (t) => {
  const { cut, later, lease, state, told, close } = await stage('node-agent')
  cut(true)
  await later(missedMs)
  t.equal(await state(), 'silent')
  cut(false)
  await lease.release()
  t.equal(await state(), 'dead')
  await later(2_000)
  t.same(told, ['silent', 'dead'])
  close()
})

t.test('an agent certifies earlier agents of its host, and nobody else', async (t) => {
  const { hosts, identity, membership, clock, later, close } = await stage('node-agent')
  const others = [
    { ...identity, incarnation: 'b.node-agent.0' },
    { ...identity, incarnation: 'b.gateway.0', role: 'gateway' },
    { ...identity, incarnation: 'c.node-agent.0', nodeId: 'c' },
  ] as const
  const leases = await Promise.all(
    others.map((other) =>
      Lease.acquire({
        ...{ hosts, clock, times, describe: () => other },
        ...{ onLapsed: () => undefined, onDead: () => undefined },
      }),
    ),
  )
  await later(1_500)
  await certifyPredecessors(hosts, membership, identity)
  const states = membership.hosts().map(({ incarnation, state }) => [incarnation, state])
  t.same(Object.fromEntries(states), {
    [identity.incarnation]: 'alive',
    'b.node-agent.0': 'dead',
    'b.gateway.0': 'alive',
    'c.node-agent.0': 'alive',
  })
  for (const lease of leases) lease.stop()
  close()
})

t.test('work that waits for a host is given up when it is silent', async (t) => {
  const { cut, later, membership, close } = await stage('node-agent')
  const failed = membership
    .unlessGone(new Promise<never>(() => {}), ({ state }) => new Error(`it is ${state}`))
    .catch((error: Error) => error.message)
  cut(true)
  await later(missedMs)
  t.equal(await failed, 'it is silent')
  close()
})

t.test('a request to a process whose lease has expired waits for the next renewal', async (t) => {
  const { cut, later, lease, close } = await stage('node-agent')
  cut(true)
  await later(missedMs)
  const inVain = lease.validWithin(1_000)
  await later(1_100)
  t.equal(await inVain, false)
  const waiting = lease.validWithin(5_000)
  cut(false)
  await later(2_000)
  t.equal(await waiting, true)
  close()
})

t.test('a renewal that lands just before its process is declared dead counts', async (t) => {
  const { cut, later, lease, hosts, state, ends, close } = await stage('actors')
  cut(true)
  const write = { update: hosts.update.bind(hosts), put: hosts.put.bind(hosts) }
  const renewFirst = async (key: string) => {
    Object.assign(hosts, write)
    const { value, revision } = (await hosts.get(key))!
    await hosts.update(key, value, revision)
    cut(false)
  }
  hosts.update = async (key, value, revision) => {
    await renewFirst(key)
    return write.update(key, value, revision)
  }
  hosts.put = async (key, value) => {
    await renewFirst(key)
    return write.put(key, value)
  }
  await later(missedMs)
  t.equal(await state(), 'alive')
  await later(2_000)
  t.ok(lease.isValid())
  t.same(ends, ['lapsed'])
  close()
})
