/** An entry in the form that people read: in REST answers and exports. */
import { defined } from '../../../proto/defined.ts'
import type { AuditEntry } from '../../../proto/access/audit/audit.ts'
import { platformTenant } from '../../../proto/access/ids.ts'

/** Without its origin: stream positions would reveal the activity of other clients. */
export const publicEntry = (entry: AuditEntry) => ({
  id: entry.id,
  n: entry.n,
  ...clientIdField(entry.client),
  at: new Date(entry.at).toISOString(),
  written_at: new Date(entry.writtenAt).toISOString(),
  actor: {
    kind: entry.actor.kind,
    id: entry.actor.id,
    ...(entry.actor.roles && { roles: [...entry.actor.roles] }),
  },
  action: entry.action,
  object: entry.object,
  outcome: entry.outcome,
  ...present({
    owasp: entry.owasp,
    reason: entry.reason,
    grant_id: entry.grantId,
    need_id: entry.needId,
    scope_id: entry.scopeId,
    access_request_id: entry.accessRequestId,
    token_id: entry.tokenId,
    change_id: entry.changeId,
    request_id: entry.requestId,
    route: entry.route,
    net: entry.net,
    digest: entry.digest,
  }),
  ...defined({ count: entry.count }),
  ...(entry.changes && { changes: [...entry.changes] }),
  ...(entry.changedFields && { changed_fields: [...entry.changedFields] }),
  ...(entry.selfReviewed && { self_reviewed: true as const }),
  prev: entry.prev,
  hash: entry.hash,
})

/** Empty for objects that belong to no client. */
export const clientIdField = (client: string) =>
  client === platformTenant ? {} : { client_id: client }

function present<T extends Readonly<Record<string, string | undefined>>>(
  fields: T,
): { [K in keyof T]?: string } {
  const found: { [K in keyof T]?: string } = {}
  for (const name in fields) {
    const value = fields[name]
    if (value !== undefined) found[name] = value
  }
  return found
}
