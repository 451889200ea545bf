/** Tools that give a goal to a model of the service, for clients that request the group `tasks`. */
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { jsonSchema } from '../../../proto/commands/schema.ts'
import { defined } from '../../../proto/defined.ts'
import { limits } from '../../../proto/limits.ts'
import { mcpLimits } from '../limits.ts'
import type { JsonObject, ServiceClient } from '../service.ts'
import { toolAnnotations, type McpTool, type ToolAnswer } from './tool.ts'

const all = '/v1/tools/perform-web-task'
const pathOf = (task: string, rest = '') => `${all}/${encodeURIComponent(task)}${rest}`

const id = z.string().describe('Id from task_start.')

const startInput = z.object({
  prompt: z.string().describe('The goal, in words.'),
  url: z.string().max(limits.urlBytes).optional().describe('Where to start.'),
  session: z.string().optional().describe('Session to use; else a new one.'),
  output_schema: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('JSON Schema of the result.'),
  max_steps: z.number().int().optional(),
  allow_private_network: z.boolean().default(false),
  human_intervention: z.boolean().default(false).describe('It may ask questions: task_answer.'),
})
const waitInput = z.object({
  task: id,
  seconds: z
    .number()
    .min(0)
    .max(mcpLimits.taskWaitSeconds)
    .default(mcpLimits.taskWaitSecondsDefault)
    .describe('Wait at most this long.'),
  since: z.number().int().min(0).default(0).describe('Only steps after this one.'),
})
const answerInput = z.object({
  task: id,
  text: z.string().optional().describe('Answer to a question.'),
  approve: z.boolean().optional().describe('Answer to a confirmation.'),
})

const cancelInput = z.object({ task: id })

/** The fields of a task that models need; the service's answers have more. */
const taskOutput = z.object({
  task: z.string(),
  status: z.string(),
  state: z.string(),
  session: z.string().optional(),
  steps: z.array(z.object({ n: z.number(), page: z.string(), reason: z.string() })).optional(),
  question: z.string().optional(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.string().optional(),
})

interface TaskRow {
  readonly id: string
  readonly status: string
  readonly state: string
  readonly session_id?: string
  readonly question?: { readonly kind: string; readonly text: string }
  readonly result?: JsonObject
  readonly error?: string
}

interface StepRow {
  readonly n: number
  readonly page: { readonly url: string }
  readonly reason: string
}

const start: McpTool = {
  definition: {
    name: 'task_start',
    title: 'Start a web task',
    description:
      'Give a goal to a model of the service, which reaches it in a browser in the ' +
      'background. Returns immediately; then task_wait.',
    annotations: toolAnnotations({ reads: false, destroys: true, safe: false, open: true }),
    inputSchema: jsonSchema(startInput, 'input'),
    outputSchema: jsonSchema(z.object({ task: z.string() }), 'output'),
  },
  async run({ session, input }, { service, signal }) {
    const query = session === undefined ? '' : `?${new URLSearchParams({ sessionId: session })}`
    const body = { ...input, async: true }
    const made = await service.ask<{ id: string }>({
      ...{ method: 'POST', path: all + query, body, signal },
    })
    return { text: `Task ${made.id} has started; task_wait.`, structured: { task: made.id } }
  },
}

const wait: McpTool = {
  definition: {
    name: 'task_wait',
    title: 'Wait for a web task',
    description:
      'Wait until a task ends or asks something, and show its steps. If still RUNNING, call ' +
      'again with the last step as since.',
    annotations: toolAnnotations({ reads: true, destroys: false, safe: true, open: true }),
    inputSchema: jsonSchema(waitInput, 'input'),
    outputSchema: jsonSchema(taskOutput, 'output'),
  },
  async run({ input }, { service, signal }) {
    const { task, seconds, since } = waitInput.parse(input)
    const untilMs = performance.now() + seconds * 1_000
    for (;;) {
      const row = await service.ask<TaskRow>({ method: 'GET', path: pathOf(task), signal })
      const isNews = row.status !== 'RUNNING' || row.question !== undefined
      if (!isNews && performance.now() < untilMs) {
        await delay(mcpLimits.taskPollMs, undefined, { signal })
        continue
      }
      const path = pathOf(task, `/steps?since=${since}`)
      const { steps } = await service.ask<{ steps: readonly StepRow[] }>({
        ...{ method: 'GET', path, signal },
      })
      return answerOf(row, steps)
    }
  },
}

const answer: McpTool = {
  definition: {
    name: 'task_answer',
    title: 'Answer a web task',
    description: 'Answer what a task asks: text for a question, approve for a confirmation.',
    annotations: toolAnnotations({ reads: false, destroys: true, safe: false, open: true }),
    inputSchema: jsonSchema(answerInput, 'input'),
    outputSchema: jsonSchema(taskOutput, 'output'),
  },
  async run({ input }, { service, signal }) {
    const { task, ...body } = answerInput.parse(input)
    return postToTask(service, { path: pathOf(task, '/answer'), body, signal })
  },
}

const cancel: McpTool = {
  definition: {
    name: 'task_cancel',
    title: 'Cancel a web task',
    description: 'Cancel a task, and end the session created for it.',
    annotations: toolAnnotations({ reads: false, destroys: true, safe: true, open: false }),
    inputSchema: jsonSchema(cancelInput, 'input'),
    outputSchema: jsonSchema(taskOutput, 'output'),
  },
  async run({ input }, { service, signal }) {
    const { task } = cancelInput.parse(input)
    return postToTask(service, { path: pathOf(task, '/cancel'), signal })
  },
}

interface TaskPost {
  readonly path: string
  readonly body?: object
  readonly signal: AbortSignal
}

async function postToTask(service: ServiceClient, request: TaskPost): Promise<ToolAnswer> {
  return answerOf(await service.ask<TaskRow>({ method: 'POST', ...request }))
}

function answerOf(row: TaskRow, steps?: readonly StepRow[]): ToolAnswer {
  const shown = steps?.map(({ n, page, reason }) => ({ n, page: page.url, reason }))
  const { status, state, session_id: session, question, result, error } = row
  const lines = [
    `${status} (${state})`,
    ...(shown ?? []).map(({ n, page, reason }) => `${n}. ${page}: ${reason}`),
    ...(question ? [`It asks (${question.kind}; answer with task_answer): ${question.text}`] : []),
    ...(result ? [`Result: ${JSON.stringify(result)}`] : []),
    ...(error === undefined ? [] : [`Error: ${error}`]),
  ]
  const more = defined({ session, steps: shown, question: question?.text, result, error })
  return { text: lines.join('\n'), structured: { task: row.id, status, state, ...more } }
}

export const taskTools: readonly McpTool[] = [start, wait, answer, cancel]
