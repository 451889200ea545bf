/** A row of usage, as requests, the command line and the console show it. */
import { z } from 'zod'

/** What a row is about besides its tenant; a day or month is that of the creation, in UTC. */
export const usageGroups = ['tenant', 'key', 'day', 'month'] as const
export type UsageGroup = (typeof usageGroups)[number]

const count = z.number().int()

export const usageFigures = z.object({
  sessions: count.describe('Sessions created in this time.'),
  running: count.describe('Those of them that have not ended.'),
  browser_minutes: count.describe('Minutes that their browsers ran so far, rounded.'),
  received_bytes: count.describe('Only of browsers with networks of their own.'),
  sent_bytes: count.describe('Only of browsers with networks of their own.'),
  tasks: count.describe('Tasks created in this time.'),
  tasks_running: count.describe('Those of them that are not over.'),
  input_tokens: count,
  output_tokens: count,
  cost_usd: z.number().describe('US dollars, of tasks whose cost is known.'),
  tasks_without_cost: count.describe(
    'Tasks that have used tokens of a model whose price is not known.',
  ),
})
export type UsageFigures = z.output<typeof usageFigures>

const usageAbout = z.object({
  tenant: z.string().optional().describe('Absent from rows of all tenants together.'),
  key: z.string().optional().describe('The name of the key, with `by=key`.'),
  day: z.string().optional().describe('`2026-11-30`, with `by=day`.'),
  month: z.string().optional().describe('`2026-11`, with `by=month`.'),
})
export type UsageAbout = z.output<typeof usageAbout>

export const usageRow = usageAbout.extend(usageFigures.shape)
export type UsageRow = z.output<typeof usageRow>
