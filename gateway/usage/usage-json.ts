/** The wire format of usage: what is asked, and the rows of the answer. */
import { z } from 'zod'
import { isToken } from '../../proto/ids.ts'
import { usageFigures, usageGroups, usageRow } from '../../runtime/usage/usage-row.ts'

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
  tenants: z
    .enum(['apart', 'together'])
    .default('apart')
    .describe('Whether each tenant has rows of its own, or a row has what all tenants used.'),
})
export type AdminUsageQuery = z.output<typeof adminUsageQuery>

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
    total: usageFigures.describe('The sum of all rows.'),
    rows: z
      .array(usageRow)
      .describe('By time, then by tenant and key; days without use have no row.'),
  }),
})
