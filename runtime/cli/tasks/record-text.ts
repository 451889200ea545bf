/** Formats each record of a task as one line: its time, the task, and its content. */
import type {
  StateRecord,
  StepRecord,
  TaskRecord,
  TaskWaitRecord,
} from '../../../proto/task/task.ts'
import { cleanText } from '../../lib/text/clean.ts'

export function recordText(record: TaskRecord): string {
  const words = record.type === 'step' ? stepWords(record) : stateWords(record)
  return [record.at.slice(11, 19), record.task_id, ...words].join('  ')
}

/** `waiting for the model`, with the reason if the request will be retried. */
export const waitText = ({ reason }: TaskWaitRecord): string =>
  reason === undefined ? 'waiting for the model' : `waiting for the model: ${cleanText(reason)}`

function stepWords({ n, page, reason, actions }: StepRecord): readonly string[] {
  const done = actions.map(({ tool, outcome }) =>
    outcome === 'done' ? tool : `${tool} (${outcome})`,
  )
  return [`step ${n}`, page.url, done.join(', ') || '–', JSON.stringify(cleanText(reason))]
}

function stateWords(record: StateRecord): readonly string[] {
  const { state, question, waiting, result, error } = record
  if (waiting) return [waitText(waiting)]
  const said = question?.text ?? result ?? error
  return said === undefined ? [state] : [state, JSON.stringify(said)]
}
