// Goal: the checker of tasks finds the faults it is for. Method: records with one fault each.
import t from 'tap'
import type { StepAction, StepRecord } from '../../../../proto/task/task.ts'
import { checkClicks, checkNumbers } from '../../../helpers/tasks/checker.ts'
import type { Told } from '../../../helpers/pages/task-pages.ts'

const step = (n: number, ...outcomes: readonly StepAction['outcome'][]) =>
  ({
    n,
    actions: outcomes.map((outcome) => ({ tool: 'click', input: {}, outcome, ms: 1 })),
  }) as unknown as StepRecord
const felt = (times: number): Told[] => Array.from({ length: times }, () => ({ type: 'click' }))

t.test('a step that is lost, repeated or out of order is found', async (t) => {
  t.same(checkNumbers('REST', [step(1), step(2), step(3)]), [])
  t.not(checkNumbers('REST', [step(1), step(3)]).length, 0)
  t.not(checkNumbers('REST', [step(1), step(1), step(2)]).length, 0)
  t.not(checkNumbers('REST', [step(2), step(1)]).length, 0)
})

t.test('one click too many or too few is found', async (t) => {
  const steps = [step(1, 'done', 'dropped'), step(2, 'unknown'), step(3, 'refused')]
  t.same(checkClicks(steps, felt(1)), [])
  t.same(checkClicks(steps, felt(2)), [], 'what is unknown may have been done')
  t.same(checkClicks(steps, felt(0)), ['0 clicks were felt, and 1 to 2 are told of'])
  t.same(checkClicks(steps, felt(3)), ['3 clicks were felt, and 1 to 2 are told of'])
})
