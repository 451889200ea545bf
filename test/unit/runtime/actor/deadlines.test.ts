// Goal: deadlines are due at their wall-clock times, once each, in order, with one timer for all of
// them.
import t from 'tap'
import { Deadlines } from '../../../../runtime/actor/cell/deadlines.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'

function stage() {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'p')
  const due: string[] = []
  const deadlines = new Deadlines(clock, (name) => due.push(name))
  return { timeline, clock, due, deadlines, at: (ms: number) => clock.now() + ms }
}

t.test('each is due once, the earliest first', async (t) => {
  const { timeline, due, deadlines, at } = stage()
  deadlines.arm({ late: at(300), early: at(100), never: at(1e12) })
  await timeline.run(99)
  t.strictSame(due, [])
  await timeline.run(1)
  t.strictSame(due, ['early'])
  await timeline.run(1_000)
  t.strictSame(due, ['early', 'late'])
})

t.test('one that has passed is due at once', async (t) => {
  const { timeline, due, deadlines, at } = stage()
  deadlines.arm({ missed: at(-5_000) })
  await timeline.run(0)
  t.strictSame(due, ['missed'])
})

t.test('set again to the same time it is not due twice, to another time it is', async (t) => {
  const { timeline, due, deadlines, at } = stage()
  const first = { name: at(100) }
  deadlines.arm(first)
  await timeline.run(200)
  deadlines.arm(first)
  await timeline.run(200)
  t.strictSame(due, ['name'])
  deadlines.arm({ name: at(100) })
  await timeline.run(200)
  t.strictSame(due, ['name', 'name'])
})

t.test('a cancelled or stopped one is not due', async (t) => {
  const { timeline, due, deadlines, at } = stage()
  deadlines.arm({ a: at(100) })
  deadlines.arm({})
  await timeline.run(200)
  deadlines.arm({ b: at(100) })
  deadlines.stop()
  await timeline.run(200)
  t.strictSame(due, [])
})
