// Goal: the simulated world itself can be trusted: a seed determines its history, and the faults
// have the described effects.
import t from 'tap'
import { BusTimeout, NoResponders } from '../../../runtime/store/bus.ts'
import { MemoryStore } from '../../helpers/runtime/memory-store.ts'
import { StoreUnavailable } from '../../../runtime/store/store.ts'
import { runSeed } from './run.ts'
import { Random } from '../world/random.ts'
import { SimBus, SubjectTable } from '../world/bus.ts'
import { SimProcess, Timeline } from '../world/clock.ts'
import { calm, SimLink } from '../world/link.ts'
import { SimStore } from '../world/store.ts'

const bytes = Uint8Array.of(1)

function stage() {
  const timeline = new Timeline()
  const table = new SubjectTable()
  const random = new Random(1)
  const server = { memory: new MemoryStore(), isDown: false, appended: () => undefined }
  const process = (name: string) => {
    const process = new SimProcess(timeline, name)
    const link = new SimLink(process, random)
    const bus = new SimBus(table, link)
    return { process, link, bus, store: new SimStore(server, link, 500) }
  }
  return { timeline, server, process }
}

t.test('the same seed gives the same history, line by line', async (t) => {
  const first: string[] = []
  const second: string[] = []
  await runSeed(7, (line) => first.push(line))
  await runSeed(7, (line) => second.push(line))
  t.ok(first.length > 100)
  t.strictSame(first, second)
})

t.test(
  'timers fire in the order of their times, and timers for one time in the order they were set',
  async (t) => {
    const timeline = new Timeline()
    const fired: number[] = []
    const random = new Random(3)
    const times = Array.from({ length: 500 }, () => random.int(0, 50))
    times.forEach((ms, i) => timeline.after(ms, () => fired.push(i)))
    const cancelled = timeline.after(25, () => t.fail('cancelled'))
    cancelled.cancel()
    await timeline.run(100)
    const expected = times
      .map((ms, i) => [ms, i] as const)
      .sort((a, b) => a[0] - b[0] || a[1] - b[1])
    t.strictSame(
      fired,
      expected.map(([, i]) => i),
    )
  },
)

t.test('a frozen process gets its timers late while its monotonic clock goes on', async (t) => {
  const { timeline, process } = stage()
  const { process: frozen } = process('frozen')
  let firedAtMs = 0
  frozen.clock.timer(1_000, () => (firedAtMs = frozen.clock.monotonic()))
  frozen.freeze()
  await timeline.run(5_000)
  t.equal(firedAtMs, 0)
  frozen.thaw()
  await timeline.run(1)
  t.equal(firedAtMs, 5_000)
})

t.test('a dead process never receives anything', async (t) => {
  const { timeline, process } = stage()
  const { process: dead } = process('dead')
  dead.clock.timer(10, () => t.fail('a dead process got a timer'))
  dead.kill()
  await timeline.run(100)
})

t.test('a write whose answer is lost has landed and is reported as unknown', async (t) => {
  const { timeline, server, process } = stage()
  const { store, link } = process('writer')
  const append = store.log.append('s', bytes, 0)
  append.catch(() => undefined)
  // The request is on its way; from here on no answer returns.
  await timeline.run(0)
  link.faults = { ...calm, lost: 1 }
  await t.rejects(timeline.until(append, 1_000), StoreUnavailable)
  t.equal((await server.memory.log.last('s'))?.seq, 1)
})

t.test('a write on its way when its process froze may land when it runs again', async (t) => {
  const { timeline, server, process } = stage()
  const fates = new Set<string>()
  for (let i = 0; i < 32; i++) {
    const { store, process: writer } = process(`w${i}`)
    store.log.append(`s${i}`, bytes, 0).catch(() => undefined)
    writer.freeze()
    await timeline.run(3_000)
    const early = await server.memory.log.last(`s${i}`)
    writer.thaw()
    await timeline.run(100)
    const late = await server.memory.log.last(`s${i}`)
    fates.add(early ? 'early' : late ? 'late' : 'lost')
  }
  t.strictSame([...fates].sort(), ['early', 'late'])
})

t.test(
  'a subject without servers fails at once; a frozen server stays silent until it is noticed',
  async (t) => {
    const { timeline, process } = stage()
    const { bus } = process('asker')
    const server = process('server')
    await t.rejects(timeline.until(bus.request('s', bytes, 100), 1_000), NoResponders)
    server.bus.serve('s', async () => bytes)
    t.strictSame(await timeline.until(bus.request('s', bytes, 100), 1_000), bytes)
    server.process.freeze()
    server.link.fallSilent(5_000)
    await t.rejects(timeline.until(bus.request('s', bytes, 100), 1_000), BusTimeout)
    await timeline.run(5_000)
    await t.rejects(timeline.until(bus.request('s', bytes, 100), 1_000), NoResponders)
  },
)

t.test('one member of a queue group gets each request', async (t) => {
  const { timeline, process } = stage()
  let heard = 0
  for (const name of ['a', 'b', 'c']) {
    const serve = async () => Uint8Array.of(++heard)
    process(name).bus.serve('s', serve, { queue: 'q' })
  }
  const { bus } = process('asker')
  for (let i = 1; i <= 10; i++) await timeline.until(bus.request('s', bytes, 100), 1_000)
  t.equal(heard, 10)
})

t.test('a watch reports existing values, then changes in order, also after a cut', async (t) => {
  const { timeline, server, process } = stage()
  const { store, link } = process('watcher')
  const bucket = server.memory.bucket('b')
  await bucket.put('k', Uint8Array.of(0))
  const seen: number[] = []
  const watching = store.bucket('b').watch((change) => {
    if (change.type === 'put') seen.push(change.value[0]!)
  })
  await timeline.until(watching, 1_000)
  t.strictSame(seen, [0])
  link.cut('store')
  for (let i = 1; i <= 5; i++) await bucket.put('k', Uint8Array.of(i))
  await timeline.run(20_000)
  t.strictSame(seen, [0])
  link.mend()
  await timeline.run(10_000)
  t.strictSame(seen, [0, 1, 2, 3, 4, 5])
})
