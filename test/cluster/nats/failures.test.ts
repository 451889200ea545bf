// What the store and the bus do while a server is dead or unreachable, or its answers are lost.
import { Events, type NatsConnection } from 'nats'
import t from 'tap'
import { buckets, subjects } from '../../../proto/subjects.ts'
import { openStore } from '../../../runtime/store/nats/buckets.ts'
import { BusTimeout } from '../../../runtime/store/bus.ts'
import { NatsBus } from '../../../runtime/store/nats/nats-bus.ts'
import { StoreConflict, StoreUnavailable, type BucketChange } from '../../../runtime/store/store.ts'
import { throughProxy } from '../../helpers/nats/nats-proxy.ts'
import { startNats } from '../../helpers/nats/nats.ts'
import { entriesOf } from '../../../runtime/store/entries-of.ts'
import { until } from '../../helpers/lib/until.ts'

/** Resolves when the connection has had the event from now on. */
async function happens(nc: NatsConnection, event: Events): Promise<void> {
  for await (const { type } of nc.status()) if (type === event) return
}

const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString()

t.test(
  'an append whose acknowledgement is lost has an unknown outcome, and last() tells which',
  async (t) => {
    const nats = await startNats(t)
    const { proxy, store } = await throughProxy(t, nats)
    const subject = subjects.log('thing', 'a')
    const first = await store.log.append(subject, Buffer.from('1'), 0)
    proxy.loseAnswers()
    await t.rejects(store.log.append(subject, Buffer.from('2'), first), StoreUnavailable)
    proxy.mend()
    const last = await until('the log', () => store.log.last(subject).catch(() => undefined))
    t.equal(text(last.data), '2', 'it had landed')
    await t.rejects(store.log.append(subject, Buffer.from('2 again'), first), StoreConflict)
    await t.resolves(store.log.append(subject, Buffer.from('3'), last.seq))
  },
)

t.test('while the server is unreachable every call fails by its own deadline', async (t) => {
  const nats = await startNats(t)
  const { proxy, nc, store } = await throughProxy(t, nats)
  const bus = new NatsBus(nc)
  bus.serve('troupe.v1.act.thing.a', async (payload) => payload)
  proxy.cut()
  const began = performance.now()
  await Promise.all([
    t.rejects(bus.request('troupe.v1.act.thing.a', Buffer.from(''), 300), BusTimeout),
    t.rejects(store.log.last(subjects.log('thing', 'a')), StoreUnavailable),
    t.rejects(store.bucket(buckets.hosts).put('n1.actors.a', Buffer.from('')), StoreUnavailable),
    t.rejects(entriesOf(store.bucket(buckets.hosts)), StoreUnavailable),
  ])
  t.ok(performance.now() - began < 5_000)
  proxy.mend()
  const again = () => bus.request('troupe.v1.act.thing.a', Buffer.from('x'), 300).catch(() => false)
  t.ok(await until('an answer', again), 'what was served is served again')
})

t.test('a request in flight ends when its connection is lost, not at its deadline', async (t) => {
  const nats = await startNats(t)
  const { proxy, nc } = await throughProxy(t, nats)
  const bus = new NatsBus(nc)
  const other = await nats.connect()
  new NatsBus(other).serve('troupe.v1.act.thing.a', () => new Promise(() => {}))
  await other.flush()
  const lost = bus.request('troupe.v1.act.thing.a', Buffer.from(''), 10 * 60_000)
  await nc.flush()
  proxy.cut()
  await t.rejects(lost, BusTimeout)
})

t.test('a request that is made while the connection is down is sent when it is back', async (t) => {
  const nats = await startNats(t)
  const { proxy, nc } = await throughProxy(t, nats)
  const bus = new NatsBus(nc)
  bus.serve('troupe.v1.act.thing.a', async (payload) => payload)
  const down = happens(nc, Events.Disconnect)
  proxy.cut()
  await down
  const answer = bus.request('troupe.v1.act.thing.a', Buffer.from('x'), 10 * 60_000)
  proxy.mend()
  t.equal(Buffer.from(await answer).toString(), 'x')
})

t.test('after a reconnection, a subject that is not served yet is asked again', async (t) => {
  const nats = await startNats(t)
  const { proxy, nc } = await throughProxy(t, nats)
  const bus = new NatsBus(nc)
  const back = happens(nc, Events.Reconnect)
  proxy.cut()
  proxy.mend()
  await back
  const answer = bus.request('troupe.v1.act.thing.a', Buffer.from('x'), 10 * 60_000)
  const other = new NatsBus(await nats.connect())
  other.serve('troupe.v1.act.thing.a', async (payload) => payload)
  t.equal(Buffer.from(await answer).toString(), 'x')
})

t.test('a closed connection answers no request', async (t) => {
  const nats = await startNats(t)
  const nc = await nats.connect()
  const store = await openStore(nc, { timeoutMs: 300 })
  const bus = new NatsBus(nc)
  await nc.close()
  await t.rejects(bus.request('troupe.v1.act.thing.a', Buffer.from(''), 300), BusTimeout)
  await t.rejects(store.log.append('troupe.v1.log.thing.a', Buffer.from(''), 0), StoreUnavailable)
})

t.test('a server killed and restarted still has every acknowledged record', async (t) => {
  const nats = await startNats(t)
  const store = await nats.store(300)
  const acknowledged = new Map<string, number>()
  let stop = false
  const lastSeq = (subject: string) =>
    until('the log', () =>
      store.log.last(subject).then(
        (last) => ({ seq: last?.seq ?? 0 }),
        () => undefined,
      ),
    )
  const writer = async (subject: string) => {
    for (let seq = 0; !stop;) {
      try {
        seq = await store.log.append(subject, Buffer.from(`${seq}`), seq)
        acknowledged.set(subject, seq)
      } catch {
        seq = (await lastSeq(subject)).seq
      }
    }
  }
  const names = Array.from({ length: 10 }, (_, id) => subjects.log('thing', `w${id}`))
  const writers = names.map(writer)
  await until('some records', () => names.every((name) => acknowledged.get(name)! > 100))
  await nats.kill()
  const before = new Map(acknowledged)
  await nats.start()
  for (const [subject, seq] of before) {
    t.ok((await lastSeq(subject)).seq >= seq, `${subject} has ${seq}`)
  }
  await until('the writers', () => [...before].every(([s, seq]) => acknowledged.get(s)! > seq))
  stop = true
  await Promise.all(writers)
})

t.test('a watch that was cut off receives every change it missed', async (t) => {
  const nats = await startNats(t)
  const direct = (await nats.store()).bucket(buckets.hosts)
  const { proxy, store } = await throughProxy(t, nats)
  await direct.put('a', Buffer.from('1'))
  await direct.put('b', Buffer.from('1'))
  const changes: BucketChange[] = []
  await store.bucket(buckets.hosts).watch((change) => changes.push(change))
  proxy.cut()
  await direct.put('a', Buffer.from('2'))
  await direct.delete('b')
  const last = await direct.put('c', Buffer.from('1'))
  t.equal(changes.length, 2)
  proxy.mend()
  await until('the last change', () => changes.at(-1)?.revision === last)
  t.match(changes.slice(2), [
    { type: 'put', key: 'a' },
    { type: 'delete', key: 'b' },
    { type: 'put', key: 'c' },
  ])
})

t.test('a watch goes on after the server is killed and restarted', async (t) => {
  const nats = await startNats(t)
  const bucket = (await nats.store(300)).bucket(buckets.hosts)
  const changes: BucketChange[] = []
  await bucket.watch((change) => changes.push(change))
  await bucket.put('a', Buffer.from('1'))
  await until('the first', () => changes.length === 1)
  await nats.kill()
  await nats.start()
  const put = () => bucket.put('a', Buffer.from('2')).catch(() => false as const)
  const revision = await until('the store', put)
  await until('the change', () => changes.at(-1)?.revision === revision)
})
