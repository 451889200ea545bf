/** Parses from the URL which usage the page shows; what is not valid is the default. */
import { isToken } from '../../../../proto/ids.ts'
import { dayMs, utcDay } from '../../../../proto/units.ts'
import { usageGroups, type UsageGroup } from '../../../../runtime/usage/usage-row.ts'
import type { ConsoleVisit } from '../../visit.ts'
import { usageMeasures, type UsageMeasure } from './usage-words.ts'

interface Days {
  readonly from: string
  readonly to: string
}

const lastDays = (count: number) => (now: number) => ({
  from: utcDay(now - (count - 1) * dayMs),
  to: utcDay(now),
})

const thisMonth = (now: number): Days => ({
  from: `${utcDay(now).slice(0, 7)}-01`,
  to: utcDay(now),
})

function lastMonth(now: number): Days {
  const lastDay = utcDay(Date.parse(thisMonth(now).from) - dayMs)
  return { from: `${lastDay.slice(0, 7)}-01`, to: lastDay }
}

/** In the order of the choice. */
export const usagePeriods = {
  '7d': { label: 'Last 7 days', daysOf: lastDays(7) },
  '30d': { label: 'Last 30 days', daysOf: lastDays(30) },
  '90d': { label: 'Last 90 days', daysOf: lastDays(90) },
  month: { label: 'This month', daysOf: thisMonth },
  'last-month': { label: 'Last month', daysOf: lastMonth },
  year: { label: 'Last 365 days', daysOf: lastDays(365) },
} as const
export type UsagePeriod = keyof typeof usagePeriods

export interface ShownUsage extends Days {
  readonly period: UsagePeriod
  readonly by: UsageGroup
  readonly measure: UsageMeasure
  /** Only for operators. */
  readonly tenant: string | undefined
  readonly isFiltered: boolean
}

export function usageShown(visit: ConsoleVisit): ShownUsage {
  const oneOf = <T extends string>(names: readonly T[], name: string) =>
    names.find((one) => one === visit.asked(name))
  const asked = {
    period: oneOf(Object.keys(usagePeriods) as UsagePeriod[], 'period'),
    by: oneOf(usageGroups, 'by'),
    measure: oneOf(Object.keys(usageMeasures) as UsageMeasure[], 'measure'),
    tenant: visit.isAdmin ? visit.asked('tenant') : undefined,
  }
  const { period = '30d', by = 'day', measure = 'browser_minutes', tenant } = asked
  return {
    ...{ period, by, measure },
    ...usagePeriods[period].daysOf(visit.now),
    tenant: tenant !== undefined && isToken(tenant) ? tenant : undefined,
    isFiltered: Object.values(asked).some((value) => value !== undefined),
  }
}

/** The request for the route: operators ask for all tenants, in one row for each day or month. */
export function usageCall({ isAdmin }: ConsoleVisit, { by, from, to, tenant }: ShownUsage) {
  return {
    path: isAdmin ? '/v1/admin/usage' : '/v1/usage',
    query: {
      ...{ by, from, to },
      ...(tenant !== undefined && { tenant }),
      ...(isAdmin && isByTime(by) && { tenants: 'together' }),
    },
  }
}

export const isByTime = (by: UsageGroup): boolean => by === 'day' || by === 'month'
