/** The schemas of step records for REST and `/openapi.json`; `/ws` sends the same records. */
import { z } from 'zod'
import { waitJson } from './task-json.ts'
import type { StepRecord } from '../../../proto/task/task.ts'

const count = z.number().int()

const action = z.object({
  tool: z.string(),
  input: z.record(z.string(), z.unknown()).describe('As the model gave it; secrets are names.'),
  element: z.string().optional().describe('The line of the page that the target stood in.'),
  outcome: z.enum(['done', 'failed', 'dropped', 'unknown', 'refused']),
  text: z.string().optional().describe('What changed on the page, or what went wrong.'),
  ms: z.number(),
})

const step = z.object({
  type: z.literal('step'),
  task_id: z.string(),
  session_id: z.string(),
  n: count.describe('1, 2, 3 … without a gap.'),
  at: z.string(),
  page: z.object({ url: z.string(), title: z.string() }).describe('What it decided upon seeing.'),
  reason: z.string(),
  actions: z.array(action),
  screenshot: z.string().optional().describe('Path of the picture on this server.'),
  provider: z.string(),
  model: z.string(),
  tokens: z.object({ input: count, cached: count, output: count }),
  cost_usd: z.number().optional().describe('Absent while the cost is unknown.'),
  ms: z.object({ observe: z.number(), decide: z.number(), act: z.number() }),
})

export const stepListJson = z.object({
  data: z.object({
    steps: z.array(step as z.ZodType<StepRecord>),
    total: count.describe('Steps the task has done, or begun.'),
    waiting: waitJson.optional().describe('While it waits for its model.'),
  }),
})
