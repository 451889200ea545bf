// Goal: work that fails is repeated within its bounds, and what it failed with last is thrown.
// Method: a simulated clock.
import t from 'tap'
import { retry, type RetryOptions } from '../../../../runtime/lib/retry.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'

/** Fails with `1`, `2`, `3` … until attempt `goodAt`; remembers when each attempt began. */
function openTrial(goodAt: number) {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'any')
  const begunMs: number[] = []
  const run = (options: RetryOptions) => {
    const ended = retry(clock, options, async (attempt) => {
      begunMs.push(clock.monotonic())
      if (attempt < goodAt) throw new Error(`${attempt}`)
      return `good at ${attempt}`
    })
    return timeline.until(ended, 1_000_000)
  }
  return { clock, begunMs, run }
}

const always = { waitMs: 10, isRetryable: () => true }

t.test('attempts follow each other after their waits, until one succeeds', async (t) => {
  const { begunMs, run } = openTrial(4)
  const told: string[] = []
  const onRetry = (error: unknown, attempt: number) =>
    told.push(`${attempt}: ${(error as Error).message}`)
  const waitMs = (attempt: number) => attempt * 100
  t.equal(await run({ ...always, attemptsMax: 4, waitMs, onRetry }), 'good at 4')
  t.same(begunMs, [0, 100, 300, 600])
  t.same(told, ['1: 1', '2: 2', '3: 3'])
})

t.test('the last of all attempts throws what it failed with', async (t) => {
  const { begunMs, run } = openTrial(Infinity)
  const told: number[] = []
  const onRetry = (_: unknown, attempt: number) => void told.push(attempt)
  await t.rejects(run({ ...always, attemptsMax: 3, onRetry }), { message: '3' })
  t.same(begunMs, [0, 10, 20])
  t.same(told, [1, 2], 'the last failure is followed by no attempt')
})

t.test('the attempt that fails when the time is over is the last', async (t) => {
  const { begunMs, run } = openTrial(Infinity)
  await t.rejects(run({ ...always, withinMs: 25 }), { message: '4' })
  t.same(begunMs, [0, 10, 20, 30])
})

t.test('a failure that another attempt would not change is thrown at once', async (t) => {
  const { begunMs, run } = openTrial(Infinity)
  const isRetryable = (error: unknown) => (error as Error).message === '1'
  await t.rejects(run({ ...always, attemptsMax: 9, isRetryable }), { message: '2' })
  t.same(begunMs, [0, 10])
})

t.test('a signal ends the wait, and no attempt follows', async (t) => {
  const { clock, begunMs, run } = openTrial(Infinity)
  const abort = new AbortController()
  clock.timer(15, () => abort.abort(new Error('not wanted')))
  const options = { ...always, attemptsMax: 9, waitMs: 10_000, signal: abort.signal }
  await t.rejects(run(options), { message: 'not wanted' })
  t.same(begunMs, [0])
  t.equal(clock.monotonic(), 15)
  await t.rejects(run(options), { message: 'not wanted' })
  t.same(begunMs, [0], 'with an aborted signal there is no attempt at all')
})
