// Goal: no stream uses the room of another, and the streams of an older service get their limits.
// Method: real servers with a small store, filled far beyond its size.
import { pino } from 'pino'
import t from 'tap'
import { KiB, MiB } from '../../../proto/units.ts'
import { buckets, streams, subjects } from '../../../proto/subjects.ts'
import { publishRecord } from '../../../runtime/actor/feed.ts'
import { openStore } from '../../../runtime/store/nats/buckets.ts'
import { storeLimits } from '../../../runtime/store/limits.ts'
import { bucketStream } from '../../../runtime/store/nats/stream-plan.ts'
import { StoreFull, type LogStore } from '../../../runtime/store/store.ts'
import { silent, startNats, type TestNats } from '../../helpers/nats/nats.ts'
import { entriesOf } from '../../../runtime/store/entries-of.ts'
import { findings, renewals, startFleet } from '../runtime/fleet.ts'

t.setTimeout(300_000)

const storeMib = 256
const small = { STORE_MAX_MIB: `${storeMib}` }
const chunk = new Uint8Array(4 * MiB)
/** Megabytes are read at once, on a busy machine, too. */
const requestMs = 30_000
const startSmall = () => startNats(t, 'nats-server', small)

/** Writes more than the whole store may hold, to one subject after another. */
async function flood(log: LogStore, subject: (n: number) => string): Promise<void> {
  const messages = (1.2 * storeMib * MiB) / chunk.byteLength
  for (let n = 1; n <= messages; n++) await log.append(subject(n), chunk, 0)
}

const managerOf = async (nats: TestNats) => (await nats.connect()).jetstreamManager()

t.test('every stream has its share, and together they fit into the store', async (t) => {
  const nats = await startSmall()
  await nats.store()
  const jsm = await managerOf(nats)
  const shares = (await jsm.streams.list().next()).map(({ config }) => config.max_bytes)
  t.equal(shares.length, Object.keys(streams).length + Object.keys(buckets).length)
  t.ok(shares.every((bytes) => bytes > 0))
  t.ok(shares.reduce((sum, bytes) => sum + bytes) < storeMib * MiB)
})

t.test('when pictures and steps exceed all room, leases, logs and actors still work', async (t) => {
  const { env } = await startSmall()
  const fleet = await startFleet(t, { env, leaseSeconds: 4 })
  const { store, load, hosts } = fleet
  await flood(store.pictures, (n) => subjects.taskPicture('tsk_flood', n))
  await flood(store.steps, (n) => subjects.taskStep(`tsk_flood${n}`))
  await load.progress()
  await renewals(fleet)
  t.ok(hosts.every((host) => host.running))
  const first = await store.pictures.last(subjects.taskPicture('tsk_flood', 1))
  t.equal(first, undefined, 'the oldest went')
  t.same(await findings(fleet), [])
})

t.test('a task whose first records were dropped still writes new ones', async (t) => {
  const { steps } = await (await startSmall()).store()
  const subject = subjects.taskState('tsk_long')
  await publishRecord(steps, subject, { n: 1 })
  await t.rejects(publishRecord(steps, subjects.taskState('tsk_gap'), { n: 2 }), /cannot follow/)
  await flood(steps, (n) => subjects.taskStep(`tsk_flood${n}`))
  t.equal(await steps.last(subject), undefined)
  await publishRecord(steps, subject, { n: 2 })
  await t.rejects(publishRecord(steps, subject, { n: 4 }), /cannot follow/)
})

t.test('a full log refuses writes and says so once; its content and the leases stay', async (t) => {
  const nats = await startSmall()
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const store = await openStore(await nats.connect(), { timeoutMs: 2_000, storeMib, log })
  await t.rejects(
    flood(store.log, (n) => subjects.log('thing', `${n}`)),
    StoreFull,
  )
  await t.rejects(store.log.append(subjects.log('thing', 'x'), chunk, 0), StoreFull)
  t.ok(await store.log.last(subjects.log('thing', '1')), 'the first is there')
  t.equal(lines.length, 1)
  t.match(lines[0], /the store is full and refuses writes: raise STORE_MAX_MIB/)
  await t.resolves(store.bucket(buckets.hosts).put('n1.gateway.a', Buffer.from('alive')))
  await store.log.purge(subjects.log('thing', '1'))
  await t.resolves(store.log.append(subjects.log('thing', 'x'), chunk, 0))
})

t.test(
  'in a full bucket, what is refused changes nothing, and what frees room is not',
  async (t) => {
    const bucket = (await (await startSmall()).store(requestMs)).bucket(buckets.views)
    const values = [1 * MiB, 64 * KiB, 1 * KiB]
    const sizeOf = async (key: string) => (await bucket.get(key))?.value.byteLength
    for (const bytes of values) {
      const fill = async () => {
        for (let n = 0; ; n++) await bucket.put(`k.${bytes}.${n}`, new Uint8Array(bytes))
      }
      await t.rejects(fill(), StoreFull)
    }
    const [large, small, other] = [`k.${MiB}.0`, `k.${KiB}.0`, `k.${64 * KiB}.0`]
    const all = (await entriesOf(bucket)).length
    await t.rejects(bucket.put(small, new Uint8Array(2 * KiB)), StoreFull)
    t.equal(await sizeOf(small), KiB, 'the old value is not lost with the new one')
    const found = await bucket.get(small)
    await t.rejects(bucket.update(small, new Uint8Array(2 * KiB), found!.revision), StoreFull)
    t.equal(await sizeOf(small), KiB)
    await bucket.put(other, new Uint8Array(KiB))
    t.equal(await sizeOf(other), KiB, 'a smaller value replaces a larger one')
    await bucket.delete(large)
    t.equal(await bucket.get(large), undefined, 'a deletion finds room')
    t.equal((await entriesOf(bucket)).length, all - 1, 'nothing else went')
    await t.resolves(bucket.put(small, new Uint8Array(2 * KiB)))
  },
)

t.test('in a full log, a refused entry pushes out none of its own subject', async (t) => {
  const { log } = await (await startSmall()).store()
  const subject = subjects.log('thing', 'mine')
  let seq = 0
  for (let n = 0; n < storeLimits.logEntriesPerActor; n++) {
    seq = await log.append(subject, new Uint8Array(KiB), seq)
  }
  for (const bytes of [4 * MiB, 64 * KiB, 2 * KiB]) {
    const fill = async () => {
      for (let n = 0; ; n++)
        await log.append(subjects.log(`f${bytes}`, `${n}`), new Uint8Array(bytes), 0)
    }
    await t.rejects(fill(), StoreFull)
  }
  await t.rejects(log.append(subject, new Uint8Array(64 * KiB), seq), StoreFull)
  let entries = 0
  for await (const _ of log.read(subject)) entries++
  t.equal(entries, storeLimits.logEntriesPerActor)
})

t.test('the service gives streams of an older version their shares', async (t) => {
  const nats = await startSmall()
  const nc = await nats.connect()
  const jsm = await managerOf(nats)
  const owners = bucketStream(buckets.owners)
  await jsm.streams.add({ name: owners, subjects: [`$KV.${buckets.owners}.>`] })
  await openStore(nc, { timeoutMs: 2_000 }).catch(() => undefined)
  t.equal((await jsm.streams.info(owners)).config.max_bytes, -1, 'a command changes nothing')
  await openStore(nc, { timeoutMs: 2_000, storeMib })
  t.match((await jsm.streams.info(owners)).config, { max_bytes: Number, discard: 'new' })
  t.ok((await jsm.streams.info(owners)).config.max_bytes > 0)
})

t.test(
  'pictures of an older version lose their bound by number, which had no shares',
  async (t) => {
    const nats = await startSmall()
    const jsm = await managerOf(nats)
    const { pictures: name } = streams
    await jsm.streams.add({ name, subjects: [subjects.picturesAll], max_msgs: 2 })
    const { pictures } = await openStore(await nats.connect(), { timeoutMs: 2_000, storeMib })
    for (let n = 1; n <= 3; n++) {
      await pictures.append(subjects.taskPicture('tsk_own', n), Buffer.from('a small one'), 0)
    }
    t.equal((await jsm.streams.info(name)).state.messages, 3)
  },
)

t.test('a log larger than its share keeps all of its content', async (t) => {
  const nats = await startNats(t)
  const jsm = await managerOf(nats)
  await jsm.streams.add({ name: streams.log, subjects: [subjects.logAll] })
  const js = (await nats.connect()).jetstream()
  const share = 0.4 * storeMib * MiB
  const messages = Math.ceil((1.2 * share) / chunk.byteLength)
  for (let n = 1; n <= messages; n++) await js.publish(subjects.log('thing', `${n}`), chunk)
  const { log } = await openStore(await nats.connect(), { timeoutMs: 2_000, storeMib })
  t.equal((await jsm.streams.info(streams.log)).state.messages, messages)
  await t.rejects(log.append(subjects.log('thing', 'x'), chunk, 0), StoreFull)
})

t.test(
  'a server with less room than the configured store is refused, with what to do',
  async (t) => {
    const nats = await startSmall()
    const much = { timeoutMs: 2_000, storeMib: 16 * storeMib, log: silent }
    await t.rejects(openStore(await nats.connect(), much), {
      name: 'NatsUnusable',
      message: /raise max_file_store in its configuration, or lower STORE_MAX_MIB/,
    })
  },
)

t.test('such a server with an existing service is accepted with a warning', async (t) => {
  const nats = await startSmall()
  await nats.store()
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const much = { timeoutMs: 2_000, storeMib: 16 * storeMib, log }
  const store = await openStore(await nats.connect(), much)
  t.match(lines[0], /raise max_file_store/)
  await t.resolves(store.log.append(subjects.log('thing', 'a'), Buffer.from('1'), 0))
})

t.test(
  'beside a log of an older version that is too large, a new stream begins small',
  async (t) => {
    const nats = await startSmall()
    const jsm = await managerOf(nats)
    await nats.store()
    const { archive, log: logName } = streams
    await jsm.streams.delete(archive)
    await jsm.streams.update(logName, { max_bytes: Math.ceil(0.36 * storeMib * MiB) })
    const js = (await nats.connect()).jetstream()
    const messages = Math.floor((0.35 * storeMib * MiB) / chunk.byteLength)
    for (let n = 1; n <= messages; n++) await js.publish(subjects.log('thing', `${n}`), chunk)
    const open = async () => openStore(await nats.connect(), { timeoutMs: 2_000, storeMib })
    const roomOf = async (name: string) => (await jsm.streams.info(name)).config.max_bytes
    const store = await open()
    t.equal(await roomOf(archive), storeLimits.firstStreamBytes)
    for (let n = 1; n <= messages; n++) await store.log.purge(subjects.log('thing', `${n}`))
    await open()
    t.ok((await roomOf(archive)) > storeLimits.firstStreamBytes, 'it grows when there is room')
  },
)
