/**
 * The entries of the service's audit about one session: links and tokens handed out, and events.
 */
import type { ServiceAuditEntry } from '../../../../../proto/service-audit.ts'
import type { SessionView } from '../../../../../proto/session/session.ts'
import { listServiceAudit } from '../../../../../runtime/service-audit/reader.ts'
import { consoleLimits } from '../../../limits.ts'
import type { ConsoleVisit } from '../../../visit.ts'

/** A link or token that may still be valid. */
export interface IssuedLink {
  readonly atMs: number
  readonly keyId: string
  /** For example `view` or `cdp, files`. */
  readonly scopes: string
  readonly expiresAtMs: number
}

/** Newest first. */
export async function historyOf(
  visit: ConsoleVisit,
  { id, tenant, createdAtMs }: SessionView,
): Promise<readonly ServiceAuditEntry[]> {
  const { entries } = await listServiceAudit(visit.deps.store.serviceAudit, {
    tenant,
    matches: (entry) => entry.session_id === id,
    since: new Date(createdAtMs).toISOString(),
    rows: consoleLimits.historyRows,
  })
  return entries
}

/** Links and tokens that were created since the last revocation and have not expired. */
export function issuedLinks(
  history: readonly ServiceAuditEntry[],
  now: number,
): readonly IssuedLink[] {
  const revoked = history.findIndex(
    ({ action, outcome }) => action === 'token.end_all' && outcome === 'done',
  )
  const since = revoked === -1 ? history : history.slice(0, revoked)
  return since.flatMap(({ action, outcome, at, key_id = '', detail = {} }) => {
    if (action !== 'token.create' || outcome !== 'done') return []
    const expiresAtMs = Date.parse(String(detail['expires_at'] ?? ''))
    if (!(expiresAtMs > now)) return []
    const scopes = String(detail['scopes'] ?? '')
    return [{ atMs: Date.parse(at), keyId: key_id, scopes, expiresAtMs }]
  })
}
