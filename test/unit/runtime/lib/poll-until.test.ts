// Goal: a poll ends with what it looked for, or with its last look when the time is over. Method: a
// simulated clock.
import t from 'tap'
import { pollUntil, type PollOptions } from '../../../../runtime/lib/poll-until.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'

function openPoll() {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'any')
  const lookedMs: number[] = []
  const look = () => {
    lookedMs.push(clock.monotonic())
    return lookedMs.length
  }
  const poll = (options: PollOptions, isEnough: (looks: number) => boolean) =>
    timeline.until(pollUntil(clock, options, look, isEnough), 1_000_000)
  return { timeline, clock, lookedMs, poll }
}

t.test('looks until it is enough', async (t) => {
  const { lookedMs, poll } = openPoll()
  t.equal(await poll({ everyMs: 50, withinMs: 1_000 }, (looks) => looks === 3), 3)
  t.same(lookedMs, [0, 50, 100])
})

t.test('the pauses may grow', async (t) => {
  const { lookedMs, poll } = openPoll()
  const everyMs = (looks: number) => looks * 10
  t.equal(await poll({ everyMs, withinMs: 1_000 }, (looks) => looks === 4), 4)
  t.same(lookedMs, [0, 10, 30, 60])
})

t.test('when the time is over, the last look is given back', async (t) => {
  const { lookedMs, poll } = openPoll()
  t.equal(await poll({ everyMs: 50, withinMs: 120 }, () => false), 4)
  t.same(lookedMs, [0, 50, 100, 150])
  t.equal(await poll({ everyMs: 50, withinMs: 0 }, () => false), 5, 'there is always one look')
})

t.test('without a condition, a true look is enough; what it throws is thrown', async (t) => {
  const { timeline, clock } = openPoll()
  const looks = ['', undefined, 'there']
  const options = { everyMs: 1, withinMs: 100 }
  const found = pollUntil(clock, options, async () => looks.shift())
  t.equal(await timeline.until(found, 1_000), 'there')
  const failed = pollUntil(clock, options, () => Promise.reject(new Error('gone')))
  await t.rejects(timeline.until(failed, 1_000), { message: 'gone' })
})

t.test('a signal ends the pause, and no look follows', async (t) => {
  const { clock, lookedMs, poll } = openPoll()
  const abort = new AbortController()
  clock.timer(15, () => abort.abort(new Error('not wanted')))
  const options = { everyMs: 10_000, withinMs: 100_000, signal: abort.signal }
  await t.rejects(
    poll(options, () => false),
    { message: 'not wanted' },
  )
  t.same(lookedMs, [0])
  t.equal(clock.monotonic(), 15)
})
