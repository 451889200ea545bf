/**
 * Which reports an access may see: published ones about areas that it may read as a whole. A report
 * summarises all records of an area, so an access to only some records, or without the fields that
 * reports are made from, does not see it. It is expressed as a condition like those of permissions,
 * so that lists, single records and all other readers of reports apply it.
 */
import { isAreaKey, type AreaKey } from '../../proto/access/areas/areas.ts'
import type { Condition, Permission } from '../../proto/access/permissions.ts'
import { reportStatuses } from '../../proto/access/reports/report-content.ts'

/** The fields that reports are made from. Areas that are absent do not appear in reports yet. */
export const reportFields = {
  'seo-audits': [
    ...['site_url', 'strategy', 'status', 'scores', 'summary', 'metrics', 'pages_crawled'],
    ...['findings', 'finished_at'],
  ],
  monitoring: ['name', 'target', 'status', 'uptime', 'latency', 'incidents'],
  opportunities: ['status', 'amount', 'last_status_change_at'],
  'content-gaps': ['topic', 'keyword', 'status', 'priority', 'search_volume'],
  tasks: ['title', 'status', 'priority', 'completed_at'],
  deployments: ['environment', 'release', 'status', 'finished_at'],
} as const satisfies Partial<Readonly<Record<AreaKey, readonly string[]>>>
export type ReportArea = keyof typeof reportFields
const isReportArea = (area: AreaKey): area is ReportArea => Object.hasOwn(reportFields, area)

/** The areas that these permissions let read in full, as far as reports use them. */
export function wholeAreas(permissions: readonly Permission[]): readonly AreaKey[] {
  const whole = permissions.flatMap(({ area, actions, fields, where = [] }) => {
    if (!isAreaKey(area)) return []
    const needed: readonly string[] = isReportArea(area) ? reportFields[area] : []
    const hasFields = fields === undefined || needed.every((name) => fields.includes(name))
    return actions.includes('read') && where.length === 0 && hasFields ? [area] : []
  })
  return [...new Set(whole)]
}

const published = reportStatuses.filter((status) => status !== 'draft')

/** The same permissions, with the additional condition on reports. */
export function withReportVisibility(
  permissions: readonly Permission[],
  { drafts = false }: { readonly drafts?: boolean } = {},
): readonly Permission[] {
  const audience: Condition = {
    field: 'audience_areas',
    equals: [...wholeAreas(permissions)],
    every: true,
  }
  const status: Condition = { field: 'status', equals: published }
  const own = drafts ? [audience] : [audience, status]
  return permissions.map((one) =>
    one.area === 'reports' ? { ...one, where: [...(one.where ?? []), ...own] } : one,
  )
}
