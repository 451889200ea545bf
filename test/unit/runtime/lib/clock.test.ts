// Goal: no timer fires early: its owner would find that it is not yet time, and a lease would then
// never expire.
import t from 'tap'
import { backoffMs, sleep, systemClock, withDeadline } from '../../../../runtime/lib/clock.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'

t.test('no timer fires before its time', async (t) => {
  const waits = Array.from({ length: 500 }, (_, i) => i / 7)
  const early = await Promise.all(
    waits.map(
      (ms) =>
        new Promise<boolean>((resolve) => {
          const due = systemClock.monotonic() + ms
          systemClock.timer(ms, () => resolve(systemClock.monotonic() < due))
        }),
    ),
  )
  t.same(
    waits.filter((_, i) => early[i]),
    [],
  )
})

t.test('a cancelled timer does not fire, an aborted sleep ends at once', async (t) => {
  systemClock.timer(1, () => t.fail('fired')).cancel()
  await sleep(systemClock, 5)
  await sleep(systemClock, 1_000_000, AbortSignal.abort())
  const abort = new AbortController()
  const sleeping = sleep(systemClock, 1_000_000, abort.signal)
  abort.abort()
  await sleeping
})

t.test('backoff doubles up to its limit, and is at least half of it', async (t) => {
  t.equal(backoffMs(1, 100, 1_000, 1), 100)
  t.equal(backoffMs(3, 100, 1_000, 1), 400)
  t.equal(backoffMs(3, 100, 1_000, 0), 200)
  t.equal(backoffMs(50, 100, 1_000, 1), 1_000)
})

t.test('work with a deadline settles as it does, or fails when the time is over', async (t) => {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'any')
  const late = () => new Error('late')
  t.equal(await withDeadline(clock, 100, Promise.resolve('done'), late), 'done')
  const failed = withDeadline(clock, 100, Promise.reject(new Error('failed')), late)
  await t.rejects(failed, { message: 'failed' })
  const never = withDeadline(clock, 100, new Promise(() => {}), late)
  await t.rejects(timeline.until(never, 1_000), { message: 'late' })
  t.equal(clock.monotonic(), 100)
})
