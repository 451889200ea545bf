/**
 * Goal: a model that repeats itself is told so, and stopped when that does not help; one that works
 * through a long list is not. Method: sequences of steps made by hand.
 */
import t from 'tap'
import {
  emptyTrail,
  detectLoop,
  type ClosedStep,
} from '../../../../actors/task/prompting/answer/loop-detection.ts'
import type { StepAction } from '../../../../proto/task/task.ts'

const action = (target: string, more: Partial<StepAction> = {}): StepAction => ({
  tool: 'click',
  input: { target },
  outcome: 'done',
  ms: 1,
  ...more,
})

const step = (page: string, actions: readonly StepAction[], visual = false): ClosedStep => ({
  page: { fingerprint: page, visual },
  actions,
  remembered: false,
})

/** The step at which each nudge came, and the end. */
function walk(steps: readonly ClosedStep[]) {
  let trail = emptyTrail
  const nudges: number[] = []
  for (const [at, each] of steps.entries()) {
    const judged = detectLoop(trail, each)
    trail = judged.trail
    if (judged.nudge !== undefined) nudges.push(at + 1)
    if (judged.end !== undefined) return { nudges, end: judged.end.end, at: at + 1 }
  }
  return { nudges, end: undefined, at: undefined }
}

const many = (count: number, make: (n: number) => ClosedStep) =>
  Array.from({ length: count }, (_, n) => make(n))

t.test('the same action on the same page is reported, and ends the task', async (t) => {
  const walked = walk(many(40, () => step('a', [action('e1')])))
  t.equal(walked.end, 'loop')
  t.ok(walked.at! <= 20, `after ${walked.at} steps`)
  t.same(walked.nudges.slice(0, 4), [5, 6, 8, 11])
})

t.test('going back and forth between pages is a loop too', async (t) => {
  const walked = walk(many(60, (n) => step(`page ${n % 3}`, [action(`e${n % 3}`)])))
  t.same([walked.end, walked.at], ['loop', 20])
  t.ok(walked.nudges.length >= 1, 'it was told before')
})

t.test('paging through a long list is not a loop', async (t) => {
  const walked = walk(many(200, (n) => step(`page ${n}`, [action('e1')])))
  t.same(walked, { nudges: [], end: undefined, at: undefined })
})

t.test('nor is a form of many fields, filled in at once', async (t) => {
  const fields = Array.from({ length: 10 }, (_, n) => action(`e${n}`, { tool: 'type' }))
  const walked = walk([step('a', fields), step('b', fields), step('c', fields)])
  t.same(walked, { nudges: [], end: undefined, at: undefined })
})

t.test('a page that never changes is reported, and ends the task', async (t) => {
  const walked = walk(many(60, (n) => step('a', [action(`e${n}`)])))
  t.same(walked, { nudges: [6, 11], end: 'no_progress', at: 16 })
})

t.test('waiting may be long, and reading something new is progress', async (t) => {
  const wait = action('', { tool: 'wait_for', input: {} })
  t.same(walk(many(100, () => step('a', [wait]))).nudges, [])
  const find = (n: number) => action('', { tool: 'find', input: { text: `thing ${n}` } })
  t.same(walk(many(15, (n) => step('a', [find(n)]))).nudges, [])
  t.equal(walk(many(40, () => step('a', [find(1)]))).end, 'loop')
})

t.test('dropped and refused actions do not count as done', async (t) => {
  const dropped = [action('e1'), ...Array(5).fill(action('e2', { outcome: 'dropped' }))]
  const walked = walk(many(10, (n) => step(`page ${n % 5}`, dropped as StepAction[])))
  t.same(walked.nudges, [])
  const nothing = walk(many(20, (n) => step(`page ${n}`, [action('e1', { outcome: 'refused' })])))
  t.same(nothing, { nudges: [3, 4, 5], end: 'no_progress', at: 6 })
})

t.test('a drawing changes without its text: only budgets end that', async (t) => {
  const walked = walk(many(100, () => step('a', [action('', { tool: 'press_key' })], true)))
  t.equal(walked.end, undefined)
  t.ok(walked.nudges.length > 0)
})
