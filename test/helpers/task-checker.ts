/**
 * What must hold of a task's records whatever was killed while they were written: every step told
 * once and in order, on each of the ways to it, and every act that the page has felt once in them.
 * Each finding is a sentence; none is what a test wants.
 */
import type { StepAction, StepRecord } from '../../proto/task.ts'
import { subjects } from '../../proto/subjects.ts'
import type { NatsStore } from '../../runtime/nats/buckets.ts'
import { checkHistory, readHistory } from './log-checker.ts'
import type { Told } from './task-pages.ts'
import { readRecords } from './task-records.ts'
import type { TaskJson } from './task-service.ts'

export interface Recorded {
  readonly task: TaskJson
  /** As REST tells them. */
  readonly steps: readonly StepRecord[]
  /** What the page has felt. */
  readonly told: readonly Told[]
}

export async function checkTask(store: NatsStore, recorded: Recorded): Promise<string[]> {
  const { task, steps, told } = recorded
  const fed = await readRecords<StepRecord>(store.steps, subjects.taskStep(task.id))
  return [
    ...checkHistory(await readHistory(store.log, 'task', task.id)),
    ...checkNumbers('REST', steps),
    ...checkNumbers('STEPS', fed),
    ...(JSON.stringify(fed) === JSON.stringify(steps) ? [] : ['REST and STEPS tell two stories']),
    ...(task.steps === steps.length ? [] : [`${task.steps} steps, of which ${steps.length} told`]),
    ...checkClicks(steps, told),
  ]
}

export function checkNumbers(where: string, steps: readonly StepRecord[]): string[] {
  return steps.flatMap(({ n }, i) => (n === i + 1 ? [] : [`${where}: step ${n} at place ${i + 1}`]))
}

const isClick = ({ tool }: StepAction) => tool === 'click'

/** What was done was felt once; what may have been done, once or not at all; nothing else was. */
export function checkClicks(steps: readonly StepRecord[], told: readonly Told[]): string[] {
  const clicks = steps.flatMap(({ actions }) => actions.filter(isClick))
  const count = (outcome: StepAction['outcome']) =>
    clicks.filter((click) => click.outcome === outcome).length
  const felt = told.filter(({ type }) => type === 'click').length
  const least = count('done')
  const most = least + count('unknown') + count('failed')
  if (felt >= least && felt <= most) return []
  return [`${felt} clicks were felt, and ${least} to ${most} are told of`]
}
