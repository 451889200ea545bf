/** What the service's audit has about one session: the links handed out, and what happened. */
import type { ServiceAuditEntry } from '../../../../../proto/service-audit.ts'
import type { SessionView } from '../../../../../proto/session/session.ts'
import { listServiceAudit } from '../../../../../runtime/service-audit/reader.ts'
import { consoleLimits } from '../../../limits.ts'
import type { ConsoleVisit } from '../../../visit.ts'

/** A link or token that may still open something. */
export interface HandedOut {
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

/** Those made since the last revocation that have not expired. */
export function handedOut(
  history: readonly ServiceAuditEntry[],
  now: number,
): readonly HandedOut[] {
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

const sentences: Partial<Readonly<Record<ServiceAuditEntry['action'], string>>> = {
  'session.create': 'Session asked for',
  'session.extend': 'More time given',
  'session.end': 'End asked for',
  'session.ended': 'Session over',
  'cdp.attach': 'CDP client connected',
  'cdp.detach': 'CDP client left',
  'cdp.refuse': 'CDP call refused',
  'live.open': 'Live view opened',
  'live.close': 'Live view closed',
  'network.refuse': 'Address refused by the network policy',
  'token.create': 'Link or token made',
  'token.end_all': 'Links and tokens revoked',
  'task.create': 'Task given',
  'task.cancel': 'Task cancelled',
}

export const auditActionWord = ({ action }: ServiceAuditEntry): string =>
  sentences[action] ?? action

/** For example `mode: control, seconds: 12`. */
export const detailWord = ({ detail = {}, outcome, count }: ServiceAuditEntry): string =>
  [
    ...(outcome === 'done' ? [] : [outcome]),
    ...Object.entries(detail).map(([name, value]) => `${name.replaceAll('_', ' ')}: ${value}`),
    ...(count === undefined ? [] : [`${count} more of the same`]),
  ].join(', ')
