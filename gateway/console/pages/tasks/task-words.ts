/** Formats states, reasons and figures of tasks for the console. */
import {
  isTaskOver,
  type GatedAction,
  type TaskEnd,
  type TaskState,
  type TaskUsage,
  type TaskView,
} from '../../../../proto/task/task.ts'
import type { Tone } from '../../../html/parts.tsx'

interface State {
  readonly tone: Tone
  readonly label: string
  /** What the task does or waits for; for a finished task, see `ends`. */
  readonly doing?: string
}

const running = (doing: string): State => ({ tone: 'wait', label: 'Running', doing })

const states: Readonly<Record<TaskState, State>> = {
  queued: { tone: 'wait', label: 'Queued', doing: 'Waiting for another task in its session' },
  acquiring: { tone: 'wait', label: 'Starting', doing: 'Waiting for a browser' },
  observing: running('Reading the page'),
  deciding: running('The model is deciding what to do next'),
  acting: running('Acting on the page'),
  checking: running('The model is checking the result against the goal'),
  waiting: { tone: 'wait', label: 'Waiting for the model', doing: 'It will be asked again soon' },
  asking: { tone: 'bad', label: 'Needs an answer', doing: 'A person must answer' },
  paused: { tone: 'quiet', label: 'Paused', doing: 'Until it is resumed' },
  leaving: { tone: 'wait', label: 'Finishing', doing: 'Leaving its session' },
  completed: { tone: 'good', label: 'Completed' },
  failed: { tone: 'bad', label: 'Failed' },
  cancelled: { tone: 'quiet', label: 'Cancelled' },
  timed_out: { tone: 'bad', label: 'Timed out' },
}

const ends: Readonly<Record<TaskEnd, string>> = {
  done: 'The goal was reached',
  cancelled: 'Stopped on request',
  max_steps: 'It used all its steps',
  timeout: 'It ran out of time',
  token_budget: 'It used all its tokens',
  cost_budget: 'It reached its cost limit',
  loop: 'It repeated the same actions',
  no_progress: 'It made no progress',
  bad_result: 'Its result does not match the schema',
  model_unusable: 'The answers of the model could not be used',
  model_refused: 'The model refused the goal',
  provider_auth: 'The provider rejected the account',
  provider_failed: 'The provider failed',
  agent_failed: 'The command-line agent failed',
  session_ended: 'Its session ended',
  session_unavailable: 'No session was available',
  internal: 'The service failed (see its log)',
}

const permissions: Readonly<Record<GatedAction, string>> = {
  payment: 'A person must allow a payment',
  deletion: 'A person must allow a deletion',
  upload: 'A person must allow an upload',
  download: 'A person must allow a download',
  leaving_site: 'A person must allow leaving the site',
}

export function taskStateWord(view: TaskView): Pick<State, 'tone' | 'label'> {
  const { tone, label } = view.waiting ? states.waiting : states[view.state]
  return hasGivenUp(view) ? { tone: 'bad', label: 'Not reached' } : { tone, label }
}

/** What the task does or waits for or, once it is over, why it ended. */
export function taskReasonWord(view: TaskView): string {
  const { state, waiting, question, end } = view
  if (isTaskOver(state)) {
    if (hasGivenUp(view)) return 'The model says that the goal cannot be reached'
    return end === undefined ? '' : ends[end]
  }
  if (waiting) return waiting.reason ?? 'It has not answered yet'
  if (state === 'asking' && question?.action !== undefined) return permissions[question.action]
  return states[state].doing ?? ''
}

/**
 * A task also completes when its model concludes that the goal cannot be reached; its result is
 * then `{success: false, result: <words>}`.
 */
const hasGivenUp = ({ state, result }: TaskView) =>
  state === 'completed' && wordsOf(result)?.isReached === false

export interface ResultWords {
  readonly isReached: boolean
  readonly text: string
}

/** The result as text; undefined for a result that follows an output schema. */
export function wordsOf(result: TaskView['result']): ResultWords | undefined {
  if (result === undefined || Object.keys(result).toSorted().join() !== 'result,success') return
  const { success, result: text } = result
  if (typeof success !== 'boolean' || typeof text !== 'string') return undefined
  return { isReached: success, text }
}

const numberWord = (count: number): string => count.toLocaleString('en')

/** For example `1,050`; with a tilde if the numbers are estimates. */
export function tokensWord({ inputTokens, outputTokens, estimated }: TaskUsage): string {
  return `${estimated ? '~' : ''}${numberWord(inputTokens + outputTokens)}`
}

export interface TokenCounts {
  readonly input: number
  readonly cached: number
  readonly output: number
}

/** For example `1,000 tokens in, 500 of them cached, 50 out`. */
export function tokenCountsWord({ input, cached, output }: TokenCounts): string {
  const fromCache = cached > 0 ? `, ${numberWord(cached)} of them cached` : ''
  return `${numberWord(input)} tokens in${fromCache}, ${numberWord(output)} out`
}

/** For example `$0.0123`; undefined while the cost is unknown. */
export const costWord = (usd: number | undefined): string | undefined =>
  usd === undefined ? undefined : `$${usd.toFixed(usd >= 1 ? 2 : 4)}`

/** For example `12 ms` or `1.8 s`. */
export const msWord = (ms: number): string =>
  ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`

export const cutText = (text: string, chars: number): string =>
  text.length > chars ? `${text.slice(0, chars)}…` : text
