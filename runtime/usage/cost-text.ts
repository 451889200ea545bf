import type { UsageFigures } from './usage-row.ts'

/** For example `$1.2500`, or `$1.2500, 2 not known`: what is not known is not shown as nothing. */
export function costText(of: Pick<UsageFigures, 'cost_usd' | 'tasks_without_cost'>): string {
  const { cost_usd: cost, tasks_without_cost: unknown } = of
  const known = `$${cost.toFixed(4)}`
  if (unknown === 0) return known
  return cost === 0 ? 'not known' : `${known}, ${unknown} not known`
}
