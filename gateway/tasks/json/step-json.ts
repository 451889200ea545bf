/** The schemas of step records for REST and `/openapi.json`; `/ws` sends the same records. */
import { z } from 'zod'
import { waitJson } from './task-json.ts'
import type { StepRecord } from '../../../proto/task/task.ts'

const count = z.number().int()

const action = z.object({
  tool: z.string(),
  input: z
    .record(z.string(), z.unknown())
    .describe('Input as the model sent it; secrets appear by name.'),
  element: z.string().optional().describe('Line of the page text that contains the target.'),
  outcome: z.enum(['done', 'failed', 'dropped', 'unknown', 'refused']),
  text: z.string().optional().describe('Changes on the page, or what went wrong.'),
  ms: z.number(),
})

const step = z.object({
  type: z.literal('step'),
  task_id: z.string(),
  session_id: z.string(),
  n: count.describe('Number of the step: 1, 2, 3 … without gaps.'),
  at: z.string(),
  page: z
    .object({ url: z.string(), title: z.string() })
    .describe('Page on which the decision was based.'),
  reason: z.string(),
  actions: z.array(action),
  screenshot: z
    .string()
    .optional()
    .describe('Path of the screenshot on this server; absent if none was kept.'),
  provider: z.string(),
  model: z.string(),
  tokens: z.object({ input: count, cached: count, output: count }),
  cost_usd: z.number().optional().describe('Cost in US dollars; absent if unknown.'),
  ms: z.object({ observe: z.number(), decide: z.number(), act: z.number() }),
})

export const stepListJson = z.object({
  data: z.object({
    steps: z.array(step as z.ZodType<StepRecord>),
    total: count.describe('Number of steps so far, including one in progress.'),
    waiting: waitJson.optional().describe('Present while the task waits for its model.'),
  }),
})
