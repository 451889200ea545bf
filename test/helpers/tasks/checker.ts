/**
 * What must hold for a task's records whatever was killed while they were written: every step
 * recorded once and in order, in each place it can be read, and every act that reached the page
 * recorded once. Each finding is a sentence; a correct task has none.
 */
import type { StepAction, StepRecord } from '../../../proto/task/task.ts'
import { subjects } from '../../../proto/subjects.ts'
import type { NatsStore } from '../../../runtime/store/nats/buckets.ts'
import { checkHistory, readHistory } from '../runtime/log-checker.ts'
import type { Told } from '../pages/task-pages.ts'
import { readRecords } from './records.ts'
import type { TaskJson } from './service.ts'

export interface Recorded {
  readonly task: TaskJson
  /** The steps as REST returns them. */
  readonly steps: readonly StepRecord[]
  /** What reached the page. */
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

/**
 * An act marked as done reached the page once; one that may have been done, at most once; nothing
 * else did.
 */
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
