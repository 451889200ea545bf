/**
 * Commands per second through live actors, beside bare requests
 * and bare appends on the same server.
 */
import { newId } from '../../../proto/ids.ts'
import { subjects } from '../../../proto/subjects.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { NatsBus } from '../../../runtime/store/nats/nats-bus.ts'
import { Directory } from '../../../runtime/actor/directory.ts'
import { ActorHost } from '../../../runtime/actor/host/host.ts'
import { openStore } from '../../../runtime/store/nats/buckets.ts'
import { counterActor, counterKind } from '../../helpers/runtime/counter-kind.ts'
import { silent, type TestNats } from '../../helpers/nats/nats.ts'
import { joinHosts, onNats } from './on-nats.ts'
import type { Bench, Figure } from '../lib/report.ts'

const commands = 4_000
const actors = 32

export const cells: Bench = {
  name: 'cells',
  on: 'nothing',
  run: () => onNats(measure),
}

async function measure(nats: TestNats): Promise<Figure[]> {
  const { directory, stop } = await startHost(nats)
  const ids = Array.from({ length: actors }, () => newId('ses'))
  for (const id of ids) await directory.create(counterActor, id, { id, tenant: 'bench' })
  const ask = (type: 'add' | 'get') => (i: number) =>
    directory.ask(counterActor, ids[i % actors]!, { type, id: `c${i}` })
  const writes = await rate(ask('add'))
  const reads = await rate(ask('get'))

  const bus = new NatsBus(await nats.connect('bench'))
  const payload = new Uint8Array(200)
  bus.serve('bench.echo', async (sent) => sent)
  const echoes = await rate(() => bus.request('bench.echo', payload, 5_000))
  const { log } = await nats.store()
  const last = new Map<number, number>()
  const appends = await rate(async (i) => {
    const lane = i % actors
    const seq = await log.append(subjects.log('bench', `b${lane}`), payload, last.get(lane) ?? 0)
    last.set(lane, seq)
  })
  await stop()
  return [
    figure('commands/s through cells (each a durable entry)', writes, appends, 'bare appends'),
    figure('queries/s through cells', reads, echoes, 'bare requests'),
  ]
}

function figure(name: string, ours: number, floor: number, what: string): Figure {
  return {
    name,
    ours: ours.toFixed(0),
    baseline: `${floor.toFixed(0)} (${what})`,
    ratio: ours / floor,
    target: '–',
    met: true,
  }
}

/**
 * One caller per actor with one request in flight: a second request to the same actor would only
 * queue.
 */
async function rate(work: (i: number) => Promise<unknown>): Promise<number> {
  const start = performance.now()
  const callers = Array.from({ length: actors }, async (_, caller) => {
    for (let i = caller; i < commands; i += actors) await work(i)
  })
  await Promise.all(callers)
  return commands / ((performance.now() - start) / 1_000)
}

async function startHost(nats: TestNats) {
  const nc = await nats.connect('actors')
  const store = await openStore(nc, { timeoutMs: 2_000 })
  const bus = new NatsBus(nc)
  const { lease, membership, leave } = await joinHosts(store)
  const kinds = [counterKind(async () => undefined)]
  const clock = systemClock
  const host = new ActorHost({ kinds, store, bus, clock, lease, membership, log: silent })
  await host.start()
  return {
    directory: new Directory(bus, systemClock, membership),
    async stop() {
      await host.drain()
      await leave()
    },
  }
}
