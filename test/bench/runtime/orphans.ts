/**
 * A killed actor host with many live actors: how long its two heirs take to have all of them, beside
 * the same writes without any actors, and how long others wait meanwhile. `BENCH_ORPHANS=10000` names
 * another number.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { decode, encode } from '../../../proto/codec.ts'
import { buckets, subjects } from '../../../proto/subjects.ts'
import { Directory } from '../../../runtime/actor/directory.ts'
import { actorLimits } from '../../../runtime/actor/limits.ts'
import type { OwnerRecord } from '../../../runtime/actor/ownership/ownership.ts'
import { certifyDeath, Membership } from '../../../runtime/cluster/membership.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { NatsBus } from '../../../runtime/store/nats/nats-bus.ts'
import type { NatsStore } from '../../../runtime/store/nats/buckets.ts'
import { WatchedMap } from '../../../runtime/store/watched-map.ts'
import { startHost } from '../../cluster/runtime/fleet.ts'
import { until } from '../../helpers/lib/until.ts'
import { silent, startNats, type Teardown } from '../../helpers/nats/nats.ts'
import { counterActor } from '../../helpers/runtime/counter-kind.ts'
import { ms, type Bench, type Figure } from '../lib/report.ts'
import { cleaned } from './on-nats.ts'

const count = Number(process.env['BENCH_ORPHANS'] ?? 2_000)
const inFlight = 2 * actorLimits.adoptionsAtOnce
const dayMs = 24 * 60 * 60_000
const waitMs = 300_000
/** A counter that is not among the orphans is asked so often. */
const probeMs = 5

export const orphans: Bench = {
  name: 'orphans',
  on: 'nothing',
  run: () => cleaned(measure),
}

async function measure(t: Teardown): Promise<Figure[]> {
  const { env, connect, store: openStore } = await startNats(t)
  const store = await openStore()
  const start = (nodeId: string) => startHost(t, { ...env, NODE_ID: nodeId })
  const victim = await start('h1')
  const hosts = store.bucket(buckets.hosts)
  const membership = await Membership.open({ hosts, clock: systemClock, log: silent })
  t.teardown(() => membership.stop())
  const are = (n: number) => membership.available('actors').length === n
  const directory = new Directory(new NatsBus(await connect('callers')), systemClock, membership)
  await until('the first host', () => are(1))
  await each(count, (n) => createArmed(directory, `cnt_${n}`))
  const heirs = [await start('h2'), await start('h3')]
  await until('the heirs', () => are(3))
  const probe = await counterOf(directory, store, heirs[0]!.incarnation)

  const owners = await WatchedMap.open(
    store.bucket(buckets.owners),
    (bytes) => decode<OwnerRecord>(bytes),
    systemClock,
    silent,
  )
  t.teardown(() => owners.stop())
  const left = () =>
    [...owners.entries()].filter(([, one]) => one.incarnation === victim.incarnation)
  const waits: number[] = []
  let isOver = false
  const probing = (async () => {
    for (; !isOver; await pause(probeMs)) {
      const beganMs = performance.now()
      await directory.ask(counterActor, probe, { type: 'get' })
      waits.push(performance.now() - beganMs)
    }
  })()
  await victim.kill()
  const beganMs = performance.now()
  await certifyDeath(hosts, victim.incarnation, 'bench')
  await until('nothing is left', () => left().length === 0, waitMs)
  const tookMs = performance.now() - beganMs
  isOver = true
  await probing
  return [
    {
      name: `${count} orphans, two heirs: until all have an owner`,
      ours: ms(tookMs),
      ...(await besideWrites(store, tookMs)),
      target: '–',
      met: true,
    },
    {
      name: 'the longest that another actor’s caller waits meanwhile',
      ours: ms(Math.max(...waits)),
      target: '–',
      met: true,
    },
  ]
}

/** The writes of a take-over: a look, the owner record, an entry. */
async function besideWrites(store: NatsStore, oursMs: number) {
  const bucket = store.bucket(buckets.owners)
  const entry = new Uint8Array(500)
  const record: OwnerRecord = { state: 'resting', incarnation: 'h4.actors.1', epoch: 1 }
  const beganMs = performance.now()
  await each(count, async (n) => {
    const subject = subjects.log('bare', `${n}`)
    await store.log.last(subject)
    await bucket.create(`bare.${n}`, encode(record))
    await store.log.append(subject, entry, 0)
  })
  const tookMs = performance.now() - beganMs
  return { baseline: `${ms(tookMs)} (its writes alone)`, ratio: oursMs / tookMs }
}

async function createArmed(directory: Directory, id: string): Promise<void> {
  await directory.create(counterActor, id, { id, tenant: 'bench' })
  await directory.ask(counterActor, id, { type: 'arm', id: 'r1', afterMs: dayMs })
}

async function counterOf(
  directory: Directory,
  store: NatsStore,
  incarnation: string,
): Promise<string> {
  for (let n = 0; ; n++) {
    const id = `probe_${n}`
    await createArmed(directory, id)
    const owner = await store.bucket(buckets.owners).get(`counter.${id}`)
    if (owner && decode<OwnerRecord>(owner.value).incarnation === incarnation) return id
  }
}

async function each(total: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const lanes = Array.from({ length: inFlight }, async () => {
    while (next < total) await work(next++)
  })
  await Promise.all(lanes)
}
