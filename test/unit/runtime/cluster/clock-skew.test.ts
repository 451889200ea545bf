// Goal: a host whose clock differs is reported, once, and a single late renewal is not. Method:
// real leases and membership on an in-memory store, each with its own clock.
import { pino } from 'pino'
import t from 'tap'
import { Lease, leaseTimes } from '../../../../runtime/cluster/lease.ts'
import { Membership } from '../../../../runtime/cluster/membership.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import type { Clock } from '../../../../runtime/lib/clock.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'

const hourMs = 60 * 60_000

async function stage() {
  const timeline = new Timeline()
  const clockOf = (name: string): Clock => new SimProcess(timeline, name).clock
  let aheadMs = 0
  const theirs = clockOf('other')
  const clock: Clock = {
    now: () => theirs.now() + aheadMs,
    monotonic: () => theirs.monotonic(),
    timer: (ms, fire) => theirs.timer(ms, fire),
  }
  const hosts = new MemoryStore().bucket('hosts')
  const lease = await Lease.acquire({
    ...{ hosts, clock, times: leaseTimes(false) },
    describe: () => ({
      ...{ incarnation: 'b.gateway.1', nodeId: 'b', role: 'gateway', machine: 'm', version: '0' },
    }),
    onLapsed: () => undefined,
    onDead: () => undefined,
  })
  const told: string[] = []
  const log = pino({}, { write: (line) => void told.push(line) })
  const membership = await Membership.open({ hosts, clock: clockOf('own'), log })
  return {
    told,
    skews: () => membership.clockSkews(),
    jump: (ms: number) => void (aheadMs += ms),
    later: (ms: number) =>
      timeline.until(new Promise((done) => theirs.timer(ms, () => done(0))), ms + 1_000),
    close: () => (lease.stop(), membership.stop()),
  }
}

t.test('clocks that agree are not reported', async (t) => {
  const { later, skews, told, close } = await stage()
  await later(20_000)
  t.match(skews(), [{ nodeId: 'b', role: 'gateway', apart: 0 }])
  t.same(told, [])
  close()
})

for (const ms of [hourMs, -hourMs]) {
  t.test(
    `a clock that jumps by ${ms} ms is reported once, and again when it is right`,
    async (t) => {
      const { later, jump, skews, told, close } = await stage()
      await later(3_000)
      jump(ms)
      await later(20_000)
      const [skew] = skews()
      t.ok(Math.abs(skew!.skewMs - ms) < 3_000, 'by as much as it is off')
      t.equal(told.length, 1)
      t.match(JSON.parse(told[0]!), { level: 50, incarnation: 'b.gateway.1' })
      jump(-ms)
      await later(20_000)
      t.match(skews(), [{ apart: 0 }])
      t.equal(told.length, 2)
      t.match(told[1], 'agrees with this one again')
      close()
    },
  )
}
