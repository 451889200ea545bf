/** The wire format of usage: what is asked, and the rows of the answer. */
import { z } from 'zod'
import { isToken } from '../../proto/ids.ts'
import { usageGroups } from '../../runtime/usage/sums.ts'

const day = z.iso.date()
export const usageQuery = z.strictObject({
  by: z
    .enum(usageGroups)
    .default('day')
    .describe('What a row is: a day, a month, a key, or all of a tenant.'),
  from: day
    .optional()
    .describe('First day of creation, in UTC (`2026-11-01`). Default: 29 days before `to`.'),
  to: day.optional().describe('Last day of creation, in UTC, inclusive. Default: today.'),
})
export type UsageQuery = z.output<typeof usageQuery>

export const adminUsageQuery = usageQuery.extend({
  tenant: z
    .string()
    .refine(isToken, 'must be a valid tenant name')
    .optional()
    .describe('Only this tenant.'),
})

const count = z.number().int()
const figures = {
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
}

export const usageRow = z.object({
  tenant: z.string(),
  key: z.string().optional().describe('The name of the key, with `by=key`.'),
  day: z.string().optional().describe('`2026-11-30`, with `by=day`.'),
  month: z.string().optional().describe('`2026-11`, with `by=month`.'),
  ...figures,
})

export const usageJson = z.object({
  data: z.object({
    by: z.enum(usageGroups),
    from: z.string(),
    to: z.string(),
    is_complete: z
      .boolean()
      .describe(
        'False while this gateway still reads what has ended, after a start on a new disk.',
      ),
    total: z.object(figures).describe('The sum of all rows.'),
    rows: z
      .array(usageRow)
      .describe('By time, then by tenant and key; days without use have no row.'),
  }),
})
