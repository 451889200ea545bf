/**
 * Metrics of the whole service that each gateway knows: stored sessions and tasks, scoped access,
 * the store.
 */
import type { Registry } from 'prom-client'
import { grantStatuses, type GrantStatus } from '../../../proto/access/grants/grant.ts'
import { requestStatuses, type RequestStatus } from '../../../proto/access/grants/request.ts'
import { sessionStatuses } from '../../../proto/session/session.ts'
import { taskStates } from '../../../proto/task/task.ts'
import type { AuditWatch } from '../../../runtime/access/audit/watch.ts'
import type { SessionViews } from '../../sessions/session-views.ts'
import type { TaskViews } from '../../tasks/task-views.ts'
import { readGauge } from './figures.ts'
import type { StoreReadings } from './store-readings.ts'

export interface AuditMetrics {
  readonly watch: Pick<AuditWatch, 'state' | 'lagMs'>
}

/** The status of each grant and each request, over all clients. */
export interface AccessCounts {
  grants(): Iterable<GrantStatus>
  requests(): Iterable<RequestStatus>
}

export interface ServiceFigureDeps {
  readonly views: SessionViews
  readonly taskViews: TaskViews
  readonly archive: { readonly isComplete: boolean }
  readonly access: AccessCounts
  readonly scopedAccess: { readonly audit: AuditMetrics }
  readonly storeReadings: Pick<StoreReadings, 'read'>
}

export function addServiceFigures(registry: Registry, deps: ServiceFigureDeps): void {
  addKept(registry, deps)
  addAudit(registry, deps.scopedAccess.audit)
  addStore(registry, deps.storeReadings)
}

function addKept(registry: Registry, deps: ServiceFigureDeps): void {
  const { views, taskViews, archive, access } = deps
  const complete = {
    name: 'troupe_archive_complete',
    help: '0 while this gateway still reads what has ended: its lists lack some of it.',
  }
  readGauge(registry, complete, () => [[{}, archive.isComplete ? 1 : 0]])
  readGauge(
    registry,
    {
      name: 'troupe_sessions',
      help: 'Sessions that are kept, by status.',
      labels: ['status'],
    },
    () =>
      known(
        sessionStatuses,
        views.tally(({ status }) => status),
        (status) => ({ status }),
      ),
  )
  readGauge(
    registry,
    { name: 'troupe_tasks', help: 'Web tasks that are kept, by state.', labels: ['state'] },
    () =>
      known(
        taskStates,
        taskViews.tally(({ state }) => state),
        (state) => ({ state }),
      ),
  )
  readGauge(
    registry,
    {
      name: 'troupe_access_grants',
      help: 'Grants of scoped access, by status.',
      labels: ['status'],
    },
    () => tally(grantStatuses, access.grants(), (status) => ({ status })),
  )
  readGauge(
    registry,
    {
      name: 'troupe_access_requests',
      help: 'Requests for scoped access, by status.',
      labels: ['status'],
    },
    () => tally(requestStatuses, access.requests(), (status) => ({ status })),
  )
}

/** Counts how often each of `all` occurs in `found`. */
function tally<V extends string, Labels>(
  all: readonly V[],
  found: Iterable<V>,
  labelsOf: (value: V) => Labels,
) {
  const counts = new Map<V, number>()
  for (const value of found) counts.set(value, (counts.get(value) ?? 0) + 1)
  return known(all, counts, labelsOf)
}

/** Also of values that do not occur. */
function known<V extends string, Labels>(
  all: readonly V[],
  counts: ReadonlyMap<string, number>,
  labelsOf: (value: V) => Labels,
) {
  return all.map((value) => [labelsOf(value), counts.get(value) ?? 0] as const)
}

function addAudit(registry: Registry, { watch }: AuditMetrics): void {
  const entries = { name: 'troupe_audit_entries', help: 'Entries of the audit of all clients.' }
  readGauge(registry, entries, () => [[{}, watch.state?.entries ?? 0]])
  const backlog = {
    name: 'troupe_audit_backlog_entries',
    help: 'Known events that are not in the audit yet.',
  }
  readGauge(registry, backlog, () => [[{}, watch.state?.backlogEntries ?? 0]])
  const lag = {
    name: 'troupe_audit_lag_seconds',
    help: 'How far behind the audit may be; above one minute, access decisions are refused.',
  }
  readGauge(registry, lag, () => [[{}, watch.state ? watch.lagMs / 1000 : 0]])
}

function addStore(registry: Registry, readings: ServiceFigureDeps['storeReadings']): void {
  readGauge(
    registry,
    {
      name: 'troupe_store_bytes',
      help: 'Bytes in each stream of the store; absent while NATS does not answer.',
      labels: ['stream'],
    },
    async () => (await readings.read()).map(({ stream, bytes }) => [{ stream }, bytes] as const),
  )
  readGauge(
    registry,
    {
      name: 'troupe_store_limit_bytes',
      help: 'Share of the store that each stream may fill; see STORE_MAX_MIB.',
      labels: ['stream'],
    },
    async () =>
      (await readings.read()).map(({ stream, maxBytes }) => [{ stream }, maxBytes] as const),
  )
}
