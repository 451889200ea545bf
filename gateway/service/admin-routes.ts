/** Routes for the operator, across all tenants: they need a key with the scope `admin`. */
import { defined } from '../../proto/defined.ts'
import { z } from 'zod'
import { isFinal } from '../../proto/session/session.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import { jsonRoute, type Route } from '../routing/route.ts'
import type { SessionAdmission } from '../sessions/admission.ts'
import { noSuchSession } from '../sessions/no-such-session.ts'
import { allSessionsJson, sessionRow, successJson } from '../sessions/session-json.ts'
import { listQuery, pageOfSessions } from '../sessions/session-list.ts'
import type { SessionService } from '../sessions/sessions.ts'
import type { TasksBySession } from '../tasks/by-session.ts'
import { taskTallyOf } from '../sessions/task-tally.ts'
import type { SessionViews } from '../sessions/session-views.ts'

export interface AdminRouteDeps {
  readonly sessions: SessionService
  readonly views: SessionViews
  readonly admission: SessionAdmission
  readonly tasksBySession: TasksBySession
  readonly clock: Clock
}

const adminListQuery = listQuery.extend({
  tenant: z.string().optional().describe('Only sessions of this tenant.'),
})
const count = z.number().int()
const tenantsJson = z.object({
  data: z.object({
    tenants: z.array(
      z.object({
        tenant: z.string(),
        keys: count.describe('Number of its keys that are neither revoked nor expired.'),
        sessions: count.describe('Number of its sessions that are alive or requested.'),
        sessions_limit: count
          .optional()
          .describe(
            'Maximum number of its sessions at once; absent if no other tenant has a valid key. ' +
              'See TENANT_SHARE_PERCENT.',
          ),
      }),
    ),
  }),
})

export function adminRoutes(deps: AdminRouteDeps): readonly Route[] {
  const { sessions, views, admission, tasksBySession, clock } = deps
  return [
    jsonRoute({
      method: 'GET',
      path: '/v1/admin/sessions',
      summary: 'List the sessions of all tenants.',
      description: 'Same as `GET /v1/sessions`, with the tenant of each session.',
      auth: 'key',
      scope: 'admin',
      query: adminListQuery,
      response: allSessionsJson,
      handler({ query: { tenant, ...query } }) {
        const tallyOf = (id: string) => taskTallyOf(tasksBySession.of(id))
        const { rows, counts } = pageOfSessions(views, tenant, query, tallyOf)
        const row = (view: (typeof rows)[number]) => ({
          ...sessionRow(view, tallyOf(view.id), clock.now()),
          tenant: view.tenant,
        })
        return { data: { sessions: rows.map(row), ...counts } }
      },
    }),
    jsonRoute({
      method: 'DELETE',
      path: '/v1/admin/sessions/{session_id}',
      audit: 'session.end',
      summary: 'End a session of any tenant.',
      description: 'Same as `DELETE /v1/sessions/{session_id}`.',
      auth: 'key',
      scope: 'admin',
      params: z.object({ session_id: z.string() }),
      response: successJson,
      async handler({ params: { session_id: id } }) {
        const view = views.get(id)
        if (!view) throw noSuchSession()
        if (!isFinal(view.status)) await sessions.end(view.tenant, id)
        return { data: { status: 'success' } } as const
      },
    }),
    jsonRoute({
      method: 'GET',
      path: '/v1/admin/tenants',
      summary: 'List tenants that have keys or sessions, with their usage.',
      description: 'Shows which tenants use the capacity of the service.',
      auth: 'key',
      scope: 'admin',
      response: tenantsJson,
      handler: () => ({
        data: {
          tenants: admission.usage().map(({ sessionsMax, ...rest }) => ({
            ...rest,
            ...defined({ sessions_limit: sessionsMax }),
          })),
        },
      }),
    }),
  ]
}
