// Goal: knowing who lives costs each process one request a second, however many there are, and
// nothing that the store says later is missed: not a deletion, not a store that lost its last
// changes. Method: a real membership on an in-memory store whose operations are counted, on a
// simulated clock.
import { pino } from 'pino'
import t from 'tap'
import { encode } from '../../../../proto/codec.ts'
import type { HostRecord } from '../../../../proto/host.ts'
import { Membership } from '../../../../runtime/cluster/membership.ts'
import { StoreRolledBack, type Bucket, type BucketChange } from '../../../../runtime/store/store.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'

const log = pino({ level: 'silent' })
const record = (n: number, more: Partial<HostRecord> = {}): Uint8Array =>
  encode({
    ...{ state: 'alive', incarnation: `h${n}.gateway.1`, nodeId: `h${n}`, role: 'gateway' },
    ...{ leaseMs: 6_000, machine: 'm', version: '0', ...more },
  } satisfies HostRecord)
const keyOf = (n: number) => `h${n}.gateway.1`

async function stage(count: number) {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'any')
  const store = { hosts: new MemoryStore().bucket('hosts') }
  for (let n = 0; n < count; n++) await store.hosts.put(keyOf(n), record(n))
  const asked: Record<string, number> = {}
  let failures: Error[] = []
  const count1 = (name: string) => void (asked[name] = (asked[name] ?? 0) + 1)
  const hosts: Bucket = new Proxy({} as Bucket, {
    get: (_, name: keyof Bucket) => {
      const operate = store.hosts[name].bind(store.hosts) as (...given: unknown[]) => unknown
      if (name !== 'watch') return (...given: unknown[]) => (count1(name), operate(...given))
      return async (tell: (change: BucketChange) => void) => {
        count1('watch')
        const watch = await store.hosts.watch(tell)
        const confirm = async () => {
          count1('confirm')
          const failure = failures.shift()
          if (failure) throw failure
          await watch.confirm()
        }
        return { stop: () => watch.stop(), confirm }
      }
    },
  })
  const membership = await Membership.open({ hosts, clock, log })
  const died: string[] = []
  membership.onDead(({ incarnation }) => void died.push(incarnation))
  return {
    ...{ store, asked, membership, died },
    fail: (...errors: Error[]) => void (failures = errors),
    known: () => membership.hosts().length,
    later: (ms: number) =>
      timeline.until(new Promise((done) => clock.timer(ms, () => done(0))), ms + 1_000),
  }
}

t.test('a second costs one request, with ten processes or with three thousand', async (t) => {
  for (const count of [10, 3_000]) {
    const { asked, membership, known, later } = await stage(count)
    t.equal(known(), count)
    const before = asked['confirm'] ?? 0
    await later(10_500)
    t.same(Object.keys(asked).toSorted(), ['confirm', 'watch'], 'no record is read again')
    t.equal(asked['watch'], 1)
    t.equal((asked['confirm'] ?? 0) - before, 10)
    membership.stop()
  }
})

t.test('a record that is deleted is a process that has died', async (t) => {
  const { store, membership, died, later } = await stage(2)
  await store.hosts.delete(keyOf(1))
  await later(1_100)
  t.same(died, [keyOf(1)])
  t.notOk(membership.get(keyOf(1)))
  membership.stop()
})

t.test('a store that has lost its last changes is read again, with what it has now', async (t) => {
  const { store, asked, membership, died, fail, later } = await stage(3)
  await store.hosts.put(keyOf(0), record(0, { version: 'newest' }))
  await later(1_100)
  t.equal(membership.get(keyOf(0))?.version, 'newest')
  store.hosts = new MemoryStore().bucket('hosts')
  await store.hosts.put(keyOf(0), record(0, { version: 'older' }))
  await store.hosts.put(keyOf(1), record(1))
  fail(new StoreRolledBack('hosts'), new StoreRolledBack('hosts'))
  await later(2_100)
  t.equal(asked['watch'], 2)
  t.equal(membership.get(keyOf(0))?.version, 'older', 'though its revision is lower')
  t.same(died, [keyOf(2)], 'and what it has no record of is dead')
  membership.stop()
})

t.test('a server that is behind for a moment is not a store that has lost something', async (t) => {
  const { asked, membership, fail, later } = await stage(1)
  fail(new StoreRolledBack('hosts'))
  await later(3_100)
  t.equal(asked['watch'], 1)
  membership.stop()
})
