/** The schemas of a task: the fields of the browser-service contract, and further ones. */
import { defined } from '../../../proto/defined.ts'
import { z } from 'zod'
import { ServiceError } from '../../../proto/errors.ts'
import {
  gatedActions,
  taskEnds,
  taskStates,
  taskStatuses,
  taskStatusOf,
  taskWaitRecord,
  type TaskQuestion,
  type TaskView,
  type TaskWaitRecord,
} from '../../../proto/task/task.ts'
import { toIsoTime } from '../../routing/answers/iso-time.ts'
import type { SessionViews } from '../../sessions/session-views.ts'
import { lastSecondsJson, lastSecondsOf } from './last-seconds.ts'
import { longPageCounts } from '../../routing/answers/paging.ts'

const time = z.iso.datetime()
const count = z.number().int()
const result = z.record(z.string(), z.unknown())

export const startedJson = z.union([
  z.object({
    data: z
      .object({ id: z.string(), workflow_id: z.string(), status: z.literal('running') })
      .describe('With `async: true`, returned immediately.'),
  }),
  z.object({
    data: z
      .object({ id: z.string(), workflow_id: z.string(), result })
      .describe('Otherwise returned when the task has completed.'),
  }),
])

export const waitJson = z.object({
  for: z.literal('model'),
  since: time,
  reason: z.string().optional().describe('Why the request to the model is retried later.'),
  retry_at: time.optional().describe('When the request is retried.'),
})

export const statusJson = z.object({
  data: z.object({
    status: z.enum(taskStatuses),
    result: result.optional().describe('Present when COMPLETED.'),
    waiting: waitJson.optional().describe('Present while the task waits for its model.'),
    error: z.string().optional().describe('Present when FAILED or CANCELLED.'),
  }),
})

export const questionJson = z.object({
  id: z.string(),
  kind: z.enum(['question', 'confirmation']),
  action: z.enum(gatedActions).optional(),
  text: z.string(),
  asked_at: time,
})

const task = z.object({
  id: z.string(),
  workflow_id: z.string(),
  status: z.enum(taskStatuses),
  state: z.enum(taskStates),
  prompt: z.string(),
  url: z.string().optional(),
  provider: z.string(),
  model: z.string().optional(),
  session_id: z.string().optional(),
  owns_session: z.boolean().describe('Whether the session was created for this task.'),
  created_at: time,
  started_at: time.optional(),
  ended_at: time.optional(),
  expires_at: time.optional().describe('When the task ends at the latest.'),
  max_steps: count,
  steps: count.describe('Number of steps so far, including one in progress.'),
  note: z
    .string()
    .optional()
    .describe('The model’s reason for its last actions, in its own words.'),
  usage: z.object({
    calls: count,
    input_tokens: count,
    cached_tokens: count,
    output_tokens: count,
    cost_usd: z.number().optional(),
    estimated: z
      .boolean()
      .optional()
      .describe('Whether tokens are estimated because the provider did not report them.'),
  }),
  question: questionJson.optional().describe('Present while the task waits for an answer.'),
  waiting: waitJson
    .optional()
    .describe(
      'Present when the model has not answered for two seconds, or the request is retried later.',
    ),
  result: result.optional(),
  reason: z.enum(taskEnds).optional().describe('Why the task ended.'),
  error: z.string().optional(),
  last_seconds: lastSecondsJson
    .optional()
    .describe('Of a task that did not complete, in a recorded session: a clip of its end.'),
  api_key_name: z.string(),
})
export type TaskJson = z.infer<typeof task>

export const taskJson = z.object({ data: task })

export const taskListJson = z.object({
  data: z.object({ tasks: z.array(task), ...longPageCounts }),
})

export const taskData = (
  view: TaskView,
  sessions: Pick<SessionViews, 'get'>,
): { data: TaskJson } => ({
  data: { ...taskRow(view), ...defined({ last_seconds: lastSecondsOf(view, sessions) }) },
})

export function taskRow(view: TaskView): TaskJson {
  const { id, state, url, model, sessionId, note, question, result, end, error } = view
  const at = timesOf(view)
  return {
    id,
    workflow_id: id,
    status: taskStatusOf(state),
    state,
    prompt: view.prompt,
    ...defined({ url }),
    provider: view.provider,
    ...defined({ model, session_id: sessionId }),
    owns_session: view.ownsSession,
    ...at,
    max_steps: view.maxSteps,
    steps: view.steps,
    ...defined({ note }),
    usage: usageOf(view),
    ...(question && { question: questionData(question) }),
    ...waitOf(view),
    ...(result && { result }),
    ...(end && { reason: end }),
    ...defined({ error }),
    api_key_name: view.keyName,
  }
}

/** Empty unless the task waits for its model. */
export const waitOf = ({ waiting }: TaskView): { waiting?: TaskWaitRecord } =>
  waiting ? { waiting: taskWaitRecord(waiting) } : {}

export function questionData(question: TaskQuestion): z.infer<typeof questionJson> {
  const { id, kind, action, text, askedAtMs } = question
  return { id, kind, ...(action && { action }), text, asked_at: toIsoTime(askedAtMs) }
}

export function statusData(view: TaskView): z.infer<typeof statusJson> {
  const status = taskStatusOf(view.state)
  if (status === 'COMPLETED') return { data: { status, result: view.result ?? {} } }
  if (status === 'RUNNING') return { data: { status, ...waitOf(view) } }
  return { data: { status, error: whyNot(view) } }
}

/**
 * The error for a caller who waited for a task that did not complete. The task failed, not the
 * service.
 */
export function taskFailed(view: TaskView, sessions: Pick<SessionViews, 'get'>): ServiceError {
  const reason = view.end ?? view.state
  const clip = lastSecondsOf(view, sessions)
  return new ServiceError('task_failed', whyNot(view), {
    ...{ task_id: view.id, reason },
    ...(clip && { clip_url: clip.url, clip_from: clip.from, clip_to: clip.to }),
  })
}

function whyNot({ error, end, state }: TaskView): string {
  return error ?? `The task did not complete: ${end ?? state}.`
}

function usageOf({ usage }: TaskView): TaskJson['usage'] {
  const { calls, inputTokens, cachedTokens, outputTokens, costUsd, estimated } = usage
  return {
    calls,
    input_tokens: inputTokens,
    cached_tokens: cachedTokens,
    output_tokens: outputTokens,
    ...defined({ cost_usd: costUsd }),
    ...(estimated && { estimated }),
  }
}

function timesOf({ createdAtMs, startedAtMs, endedAtMs, expiresAtMs }: TaskView) {
  return {
    created_at: toIsoTime(createdAtMs),
    ...(startedAtMs !== undefined && { started_at: toIsoTime(startedAtMs) }),
    ...(endedAtMs !== undefined && { ended_at: toIsoTime(endedAtMs) }),
    ...(expiresAtMs !== undefined && { expires_at: toIsoTime(expiresAtMs) }),
  }
}
