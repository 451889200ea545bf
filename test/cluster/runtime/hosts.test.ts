// Goal: when one of three actor hosts dies, freezes or loses the store, the others continue its
// actors, and no log has a gap, two writers in an epoch, or lacks a command that was answered.
import t from 'tap'
import { buckets } from '../../../proto/subjects.ts'
import { certifyDeath } from '../../../runtime/cluster/membership.ts'
import { findings, movedWithinMs, startFleet } from './fleet.ts'
import { startProxy } from '../../helpers/nats/nats-proxy.ts'
import { startNats } from '../../helpers/nats/nats.ts'
import { entriesOf } from '../../../runtime/store/entries-of.ts'
import { until } from '../../helpers/lib/until.ts'

const leaseSeconds = 2

t.test('a host is killed: its lease expires, and the others take over its actors', async (t) => {
  const { env } = await startNats(t)
  const fleet = await startFleet(t, { env, leaseSeconds })
  const [victim] = fleet.hosts
  const killedAtMs = Date.now()
  await victim.kill()
  await fleet.load.progress()
  t.comment(`its actors were live elsewhere after ${await movedWithinMs(fleet, killedAtMs)} ms`)
  t.equal(fleet.membership.get(victim.incarnation)?.state, 'dead')
  t.same(await findings(fleet), [])
})

t.test('a host is killed and certified dead: the others do not wait for its lease', async (t) => {
  const { env } = await startNats(t)
  // A lease longer than this test could wait for.
  const fleet = await startFleet(t, { env, leaseSeconds: 60 })
  const [victim] = fleet.hosts
  const killedAtMs = Date.now()
  await victim.kill()
  await certifyDeath(fleet.store.bucket(buckets.hosts), victim.incarnation, 'test')
  await fleet.load.progress()
  t.comment(`its actors were live elsewhere after ${await movedWithinMs(fleet, killedAtMs)} ms`)
  t.same(await findings(fleet), [])
})

t.test('lost owner records do not let an epoch go back', async (t) => {
  const { env } = await startNats(t)
  const fleet = await startFleet(t, { env, leaseSeconds: 60 })
  const hosts = fleet.store.bucket(buckets.hosts)
  const owners = fleet.store.bucket(buckets.owners)
  const [first, second] = fleet.hosts
  await first.kill()
  await certifyDeath(hosts, first.incarnation, 'test')
  await fleet.load.progress()
  for (const { key } of await entriesOf(owners)) await owners.delete(key)
  await fleet.store.purgeMarkers(buckets.owners, -60_000)
  await second.kill()
  await certifyDeath(hosts, second.incarnation, 'test')
  await fleet.load.progress()
  t.same(await findings(fleet), [])
})

t.test('a host that is frozen past its lease writes nothing more and exits', async (t) => {
  const { env } = await startNats(t)
  const fleet = await startFleet(t, { env, leaseSeconds })
  const [zombie] = fleet.hosts
  const frozenAtMs = Date.now()
  zombie.signal('SIGSTOP')
  await fleet.load.progress()
  t.comment(`its actors were live elsewhere after ${await movedWithinMs(fleet, frozenAtMs)} ms`)
  await until('two leases have passed', () => Date.now() - frozenAtMs > 2 * leaseSeconds * 1_000)
  zombie.signal('SIGCONT')
  t.equal(await zombie.exit, 3, 'fenced')
  await fleet.load.progress()
  t.same(await findings(fleet), [])
})

t.test('a host cut off from the store fences itself before the others take over', async (t) => {
  const nats = await startNats(t)
  const proxy = await startProxy(t, nats.port)
  const hostEnv = [{ NATS_URL: `nats://127.0.0.1:${proxy.port}` }]
  const fleet = await startFleet(t, { env: nats.env, leaseSeconds, hostEnv })
  const [lost] = fleet.hosts
  const cutAtMs = Date.now()
  proxy.cut()
  t.equal(await lost.exit, 3, 'fenced')
  t.equal(fleet.membership.get(lost.incarnation)?.state, 'alive', 'nobody had to tell it')
  await fleet.load.progress()
  t.comment(`its actors were live elsewhere after ${await movedWithinMs(fleet, cutAtMs)} ms`)
  t.same(await findings(fleet), [])
})

t.test('a host that is told to stop hands its actors over first', async (t) => {
  const { env } = await startNats(t)
  const fleet = await startFleet(t, { env, leaseSeconds: 60 })
  const [leaving] = fleet.hosts
  const toldAtMs = Date.now()
  leaving.signal('SIGTERM')
  t.equal(await leaving.exit, 0)
  await fleet.load.progress()
  t.comment(`its actors were live elsewhere after ${await movedWithinMs(fleet, toldAtMs)} ms`)
  t.same(await findings(fleet), [])
})

t.test('acknowledgements lost under load: writes count once, no host is fenced', async (t) => {
  const nats = await startNats(t)
  const proxy = await startProxy(t, nats.port)
  const fleet = await startFleet(t, {
    env: nats.env,
    leaseSeconds: 10,
    hostEnv: [{ NATS_URL: `nats://127.0.0.1:${proxy.port}` }],
  })
  for (let round = 0; round < 3; round++) {
    const before = proxy.lostBytes
    proxy.loseAnswers()
    await until('answers are lost', () => proxy.lostBytes > before + 1_000)
    proxy.mend()
    await fleet.load.progress()
  }
  t.ok(fleet.hosts.every((host) => host.running))
  t.same(await findings(fleet), [])
})

t.test('nats-server is killed and restarted: no host is fenced, and all go on', async (t) => {
  const nats = await startNats(t)
  const fleet = await startFleet(t, { env: nats.env, leaseSeconds: 6 })
  await nats.kill()
  await nats.start()
  t.comment(`every counter went on after ${Math.round(await fleet.load.progress())} ms`)
  t.ok(fleet.hosts.every((host) => host.running))
  t.same(await findings(fleet), [])
})
