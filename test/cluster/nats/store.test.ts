// Goal: the store's promises hold on a real server: one winner per race, no acknowledged write is
// lost, and no call hangs.
import t from 'tap'
import { encode } from '../../../proto/codec.ts'
import { buckets, subjects } from '../../../proto/subjects.ts'
import { NatsBus } from '../../../runtime/store/nats/nats-bus.ts'
import { NoResponders } from '../../../runtime/store/bus.ts'
import { StoreConflict, type BucketChange, type LogRecord } from '../../../runtime/store/store.ts'
import { startNats } from '../../helpers/nats/nats.ts'
import { raceForOneKey } from '../../helpers/nats/cas-race.ts'
import { entriesOf } from '../../../runtime/store/entries-of.ts'
import { until } from '../../helpers/lib/until.ts'

const nats = await startNats(t)

const bytes = (text: string) => Buffer.from(text)
async function all(records: AsyncIterable<LogRecord>): Promise<string[]> {
  const texts: string[] = []
  for await (const { data } of records) texts.push(Buffer.from(data).toString())
  return texts
}

t.test('several processes may create the store at once', async (t) => {
  const stores = await Promise.all(Array.from({ length: 6 }, () => nats.store()))
  for (const store of stores) t.same(await entriesOf(store.bucket(buckets.keys)), [])
})

t.test('of 8 writers with the same revision exactly one wins, 200 times', async (t) => {
  const connections = await Promise.all(Array.from({ length: 8 }, () => nats.store()))
  t.same(await raceForOneKey(connections, 200), { rounds: 200, withOneWinner: 200 })
})

t.test('only a writer that knows a log’s last sequence can append to it', async (t) => {
  const { log } = await nats.store()
  const subject = subjects.log('thing', 'a')
  const first = await log.append(subject, bytes('1'), 0)
  await t.rejects(log.append(subject, bytes('x'), 0), StoreConflict)
  const second = await log.append(subject, bytes('2'), first)
  await t.rejects(log.append(subject, bytes('x'), first), StoreConflict)
  t.match(await log.last(subject), { subject, seq: second })
  t.same(await all(log.read(subject)), ['1', '2'])
  t.same(await all(log.read(subject, second)), ['2'])
})

t.test('a log that was purged starts again empty', async (t) => {
  const { log } = await nats.store()
  const subject = subjects.log('thing', 'b')
  await log.append(subject, bytes('1'), 0)
  await log.purge(subject)
  t.equal(await log.last(subject), undefined)
  t.same(await all(log.read(subject)), [])
  await t.resolves(log.append(subject, bytes('1'), 0))
})

t.test('a bucket keeps dotted keys, and a deleted key can be created again', async (t) => {
  const bucket = (await nats.store()).bucket(buckets.views)
  const key = 'session.default.ses_1'
  const created = await bucket.create(key, bytes('a'))
  await t.rejects(bucket.create(key, bytes('b')), StoreConflict)
  const updated = await bucket.update(key, bytes('b'), created)
  await t.rejects(bucket.update(key, bytes('c'), created), StoreConflict)
  t.match(await bucket.get(key), { key, revision: updated })
  t.match(await entriesOf(bucket), [{ key, revision: updated }])
  await bucket.delete(key)
  t.equal(await bucket.get(key), undefined)
  t.same(await entriesOf(bucket), [])
  t.ok((await bucket.create(key, bytes('d'))) > updated)
  t.throws(() => bucket.put('a b', bytes('')), /cannot be a key/)
  await bucket.delete(key)
})

t.test('deletion markers are purged, values are not', async (t) => {
  const store = await nats.store()
  const bucket = store.bucket(buckets.keys)
  await bucket.put('kept', bytes('1'))
  await bucket.put('gone', bytes('1'))
  await bucket.delete('gone')
  t.equal(await store.purgeMarkers(buckets.keys, 60_000), 0)
  t.equal(await store.purgeMarkers(buckets.keys, -60_000), 1)
  t.match(await entriesOf(bucket), [{ key: 'kept' }])
  await t.resolves(bucket.create('gone', bytes('2')))
})

t.test('a watch reports existing values, then every change in order', async (t) => {
  const bucket = (await nats.store()).bucket(buckets.hosts)
  await bucket.put('n1.gateway.a', bytes('1'))
  const changes: BucketChange[] = []
  const watch = await bucket.watch((change) => changes.push(change))
  t.match(changes, [{ type: 'put', key: 'n1.gateway.a' }])
  for (let i = 0; i < 100; i++) await bucket.put(`n1.gateway.${i % 7}`, encode(i))
  await bucket.delete('n1.gateway.a')
  await until('the deletion', () => changes.at(-1)?.type === 'delete')
  t.equal(changes.length, 102, 'none twice, none missing')
  const revisions = changes.map(({ revision }) => revision)
  t.same(
    revisions,
    revisions.toSorted((a, b) => a - b),
  )
  watch.stop()
})

t.test('a request without a responder fails at once, and not by timeout', async (t) => {
  const bus = new NatsBus(await nats.connect())
  const asked = performance.now()
  await t.rejects(bus.request('troupe.v1.act.thing.nobody', bytes(''), 10_000), NoResponders)
  t.ok(performance.now() - asked < 5_000)
})

t.test('each request to a queue group is served by one member', async (t) => {
  const served: string[] = []
  for (const name of ['a', 'b', 'c']) {
    const nc = await nats.connect()
    new NatsBus(nc).serve(
      'troupe.v1.place.thing',
      async (payload) => {
        served.push(name)
        return payload
      },
      { queue: 'place' },
    )
    await nc.flush()
  }
  const bus = new NatsBus(await nats.connect())
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) => bus.request('troupe.v1.place.thing', encode(i), 5_000)),
  )
  t.equal(answers.length, 50)
  t.equal(served.length, 50)
})
