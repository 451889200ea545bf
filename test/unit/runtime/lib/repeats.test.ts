// Goal: what can be caused without end is passed on once, then counted. Method: a
// simulated clock.
import t from 'tap'
import { Repeats } from '../../../../runtime/lib/repeats/repeats.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'

t.test('the first is passed on at once, those after it as a count', async (t) => {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'gateway')
  const later = (ms: number) =>
    timeline.until(new Promise<void>((done) => clock.timer(ms, done)), ms + 1_000)
  const written: unknown[] = []
  const repeats = new Repeats<string>({
    clock,
    everyMs: 60_000,
    keysMax: 2,
    write: (item, count) => written.push(count === undefined ? [item] : [item, count]),
  })
  for (const item of ['a1', 'a2', 'b1', 'a3', 'c1', 'd1']) {
    repeats.add(item[0]!, 'others', item)
  }
  t.same(written, [['a1'], ['b1'], ['c1']], 'more keys than are told apart share one')
  await later(60_001)
  t.same(written.splice(0), [['a1'], ['b1'], ['c1'], ['a1', 2], ['c1', 1]])
  await later(60_001)
  t.same(written, [], 'nothing was repeated since')
  repeats.add('a', 'others', 'a4')
  repeats.add('a', 'others', 'a5')
  repeats.flush()
  t.same(written, [['a4'], ['a4', 1]])
})
