/** The service's audit, for keys with the scope `admin`. */
import { z } from 'zod'
import { isToken } from '../../proto/ids.ts'
import {
  serviceAuditActionNames,
  serviceAuditEntry,
  serviceAuditOutcomes,
} from '../../proto/service-audit.ts'
import { serviceAuditLimits as limits } from '../../runtime/service-audit/limits.ts'
import { isWanted, listServiceAudit } from '../../runtime/service-audit/reader.ts'
import type { LogStore } from '../../runtime/store/store.ts'
import { jsonRoute, type Route } from '../routing/route.ts'

const listQuery = z.strictObject({
  tenant: z.string().refine(isToken, 'must be a valid tenant name').optional(),
  session_id: z.string().optional(),
  key_id: z.string().optional(),
  address: z.string().optional(),
  action: z.enum(serviceAuditActionNames).optional(),
  outcome: z.enum(serviceAuditOutcomes).optional(),
  since: z.iso
    .datetime({ offset: true })
    .optional()
    .describe('Only entries at or after this time (ISO 8601).'),
  limit: z.coerce.number().int().min(1).max(limits.pageRowsMax).default(limits.pageRows),
  before: z.coerce
    .number()
    .int()
    .min(1)
    .optional()
    .describe('Only entries with a lower `n`: send `next` of the previous page.'),
})

const listJson = z.object({
  data: z.object({
    entries: z.array(
      serviceAuditEntry.extend({
        n: z.number().int().describe('Number of the entry; increases with time, with gaps.'),
      }),
    ),
    next: z
      .number()
      .int()
      .nullable()
      .describe('Send it as `before` to get the next page; null on the last page.'),
  }),
})

export function serviceAuditRoutes(log: Pick<LogStore, 'last' | 'read'>): readonly Route[] {
  return [
    jsonRoute({
      method: 'GET',
      path: '/v1/audit',
      summary: 'List audit entries of all tenants, newest first.',
      description:
        'Shows who used the service, from where, and what was refused. Filter by tenant, key, ' +
        'session, address, action and outcome. A page can be short or empty and still have a ' +
        '`next` page.',
      auth: 'key',
      scope: 'admin',
      query: listQuery,
      response: listJson,
      async handler({ query: { limit, before, since, tenant, ...wanted } }) {
        const { entries, next } = await listServiceAudit(log, {
          ...{ tenant, before, rows: limit },
          since: since && new Date(since).toISOString(),
          matches: (entry) => isWanted(entry, wanted),
        })
        return { data: { entries: [...entries], next: next ?? null } }
      },
    }),
  ]
}
