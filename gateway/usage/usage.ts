/** Adds up what was used in a time, from sums of the archive and what runs or ended lately. */
import { setImmediate } from 'node:timers/promises'
import { ServiceError } from '../../proto/errors.ts'
import { dayMs, utcDay } from '../../proto/units.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import { useOfSession, useOfTask } from '../../runtime/usage/figures.ts'
import { UsageSums } from '../../runtime/usage/sums.ts'
import type { SessionViews } from '../sessions/session-views.ts'
import type { TaskViews } from '../tasks/task-views.ts'
import type { AdminUsageQuery, UsageQuery } from './usage-json.ts'

export interface UsageDeps {
  readonly views: Pick<SessionViews, 'uses' | 'tenants'>
  readonly taskViews: Pick<TaskViews, 'uses' | 'tenants'>
  readonly archive: { readonly isComplete: boolean }
  readonly clock: Clock
}

const daysDefault = 30
/** Bounds the days that one request adds up. */
const daysMost = 400
/** Of one answer; a gateway holds them all. */
const rowsMost = 10_000

/** Without a tenant, of all. Throws `bad_request` for a time or a number of rows that is too much. */
export async function addUpUsage(
  { views, taskViews, archive, clock }: UsageDeps,
  query: UsageQuery & Partial<AdminUsageQuery>,
) {
  const { by, tenant: asked } = query
  const now = clock.now()
  const { from, to } = daysOf(query, now)
  const all = () => new Set([...views.tenants(), ...taskViews.tenants()])
  const sums = new UsageSums(by, query.tenants === 'together')
  for (const tenant of asked === undefined ? all() : [asked]) {
    const range = { tenant, fromDay: from, toDay: to }
    for (const use of views.uses(range, (view) => useOfSession(view, now))) sums.add(use)
    for (const use of taskViews.uses(range, useOfTask)) sums.add(use)
    if (sums.size > rowsMost) {
      const text = `These are more than ${rowsMost} rows: ask for a shorter time, by month, for one tenant, or for all together.`
      throw new ServiceError('bad_request', text, { field: 'from' })
    }
    // A year of a thousand tenants takes seconds, in which others are served as well.
    await setImmediate()
  }
  return { by, from, to, is_complete: archive.isComplete, total: sums.total(), rows: sums.rows() }
}

function daysOf({ from: first, to: last }: Pick<UsageQuery, 'from' | 'to'>, now: number) {
  const to = last ?? utcDay(now)
  const from = first ?? utcDay(Date.parse(to) - (daysDefault - 1) * dayMs)
  if (from > to) {
    throw new ServiceError('bad_request', 'from must not be after to.', { field: 'from' })
  }
  if (Date.parse(to) - Date.parse(from) >= daysMost * dayMs) {
    const text = `From from to to must be at most ${daysMost} days.`
    throw new ServiceError('bad_request', text, { field: 'from' })
  }
  return { from, to }
}
