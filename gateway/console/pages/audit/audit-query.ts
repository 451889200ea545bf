/** Parses the filters of the audit page from its URL. */
import { isToken } from '../../../../proto/ids.ts'
import {
  serviceAuditActionNames,
  serviceAuditOutcomes,
  type ServiceAuditEntry,
} from '../../../../proto/service-audit.ts'
import {
  isWanted,
  type ServiceAuditQuery,
  type WantedFields,
} from '../../../../runtime/service-audit/reader.ts'
import { consoleLimits } from '../../limits.ts'

/** Fields that are compared with the exact text. */
export const auditFilters = ['tenant', 'key_id', 'session_id', 'address'] as const
export type AuditFilter = (typeof auditFilters)[number]

const hourMs = 60 * 60_000
export const auditSpans = [
  { name: 'hour', label: 'The last hour', ms: hourMs },
  { name: 'day', label: 'The last 24 hours', ms: 24 * hourMs },
  { name: 'week', label: 'The last 7 days', ms: 7 * 24 * hourMs },
] as const

export interface ServiceAuditSearch extends ServiceAuditQuery {
  readonly isFiltered: boolean
}

/** Invalid filters are ignored, except a tenant with an impossible name, which finds nothing. */
export function auditQuery(query: URLSearchParams, now: number): ServiceAuditSearch {
  const given = (name: string) => query.get(name)?.trim() || undefined
  const oneOf = <T extends string>(names: readonly T[], name: string) =>
    names.find((one) => one === given(name))
  const wanted: WantedFields = {
    ...Object.fromEntries(auditFilters.map((name) => [name, given(name)])),
    action: oneOf(serviceAuditActionNames, 'action'),
    outcome: oneOf(serviceAuditOutcomes, 'outcome'),
  }
  const tenant = given('tenant')
  const span = auditSpans.find(({ name }) => name === given('since'))
  const before = Number(given('before'))
  return {
    isFiltered: span !== undefined || Object.values(wanted).some((value) => value !== undefined),
    matches: (entry: ServiceAuditEntry) => isWanted(entry, wanted),
    // The tenant becomes a part of the subject that is read.
    tenant: tenant !== undefined && isToken(tenant) ? tenant : undefined,
    since: span && new Date(now - span.ms).toISOString(),
    before: Number.isSafeInteger(before) && before > 0 ? before : undefined,
    rows: consoleLimits.auditRows,
  }
}
