/**
 * Metrics for Prometheus. Numbers of sessions and browsers are read from views and host records at
 * each scrape.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { grantStatuses, type GrantStatus } from '../../proto/access/grants/grant.ts'
import { requestStatuses, type RequestStatus } from '../../proto/access/grants/request.ts'
import { sessionStatuses } from '../../proto/session/session.ts'
import { taskStates } from '../../proto/task/task.ts'
import type { AuditWatch } from '../../runtime/access/audit/watch.ts'
import type { Membership } from '../../runtime/cluster/membership.ts'
import type { CdpTraffic } from '../cdp/proxy.ts'
import type { SessionViews } from '../sessions/session-views.ts'
import type { TaskViews } from '../tasks/task-views.ts'

export interface AuditMetrics {
  readonly watch: Pick<AuditWatch, 'state' | 'lagMs'>
}

export interface MetricsDeps {
  readonly views: SessionViews
  readonly membership: Pick<Membership, 'hosts' | 'clockSkews'>
  readonly cdp: { readonly sockets: number; readonly traffic: CdpTraffic }
  readonly live: { readonly sockets: number }
  readonly taskViews: TaskViews
  readonly records: { readonly sockets: number }
  readonly access: AccessCounts
  readonly scopedAccess: { readonly audit: AuditMetrics }
}

/** The status of each grant and each request, of all clients together. */
export interface AccessCounts {
  grants(): Iterable<GrantStatus>
  requests(): Iterable<RequestStatus>
}

const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const browserStates = ['warm', 'booting', 'claimed', 'queued', 'capacity'] as const

export class Metrics {
  readonly #registry = new Registry()
  readonly #requests: Counter
  readonly #durations: Histogram

  constructor(deps: MetricsDeps) {
    const registers = [this.#registry]
    collectDefaultMetrics({ register: this.#registry, prefix: 'troupe_' })
    this.#requests = new Counter({
      name: 'troupe_http_requests_total',
      help: 'Requests answered, by route and status.',
      labelNames: ['method', 'route', 'status'],
      registers,
    })
    this.#durations = new Histogram({
      name: 'troupe_http_request_seconds',
      help: 'Time from a request to its answer.',
      labelNames: ['method', 'route'],
      buckets: durationBuckets,
      registers,
    })
    this.#sessions(deps.views)
    this.#browsers(deps.membership)
    this.#clocks(deps.membership)
    this.#cdp(deps.cdp)
    this.#live(deps.live)
    this.#tasks(deps)
    this.#access(deps.access)
    this.#audit(deps.scopedAccess.audit)
  }

  observe(method: string, route: string, status: number, ms: number): void {
    this.#requests.inc({ method, route, status })
    this.#durations.observe({ method, route }, ms / 1000)
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }

  #sessions(views: SessionViews): void {
    new Gauge({
      name: 'troupe_sessions',
      help: 'Sessions that are kept, by status.',
      labelNames: ['status'],
      registers: [this.#registry],
      collect() {
        for (const status of sessionStatuses) this.set({ status }, 0)
        for (const { status } of views.all()) this.inc({ status })
      },
    })
  }

  #browsers(membership: MetricsDeps['membership']): void {
    new Gauge({
      name: 'troupe_browsers',
      help: 'Browsers and callers in line, by browser host.',
      labelNames: ['node', 'state'],
      registers: [this.#registry],
      collect() {
        this.reset()
        for (const { nodeId, state, browsers } of membership.hosts()) {
          if (state !== 'alive' || !browsers) continue
          for (const what of browserStates) this.set({ node: nodeId, state: what }, browsers[what])
        }
      },
    })
  }

  #clocks(membership: MetricsDeps['membership']): void {
    new Gauge({
      name: 'troupe_clock_skew_seconds',
      help: 'How far the clock of another process is ahead of this one. Access ends by clocks.',
      labelNames: ['node', 'role'],
      registers: [this.#registry],
      collect() {
        this.reset()
        for (const { nodeId, role, skewMs } of membership.clockSkews()) {
          this.set({ node: nodeId, role }, skewMs / 1000)
        }
      },
    })
  }

  #live(live: MetricsDeps['live']): void {
    new Gauge({
      name: 'troupe_live_viewers',
      help: 'Viewers of sessions connected to this gateway.',
      registers: [this.#registry],
      collect() {
        this.set(live.sockets)
      },
    })
  }

  #tasks({ taskViews, records }: MetricsDeps): void {
    new Gauge({
      name: 'troupe_tasks',
      help: 'Web tasks that are kept, by state.',
      labelNames: ['state'],
      registers: [this.#registry],
      collect() {
        for (const state of taskStates) this.set({ state }, 0)
        for (const { state } of taskViews.all()) this.inc({ state })
      },
    })
    new Gauge({
      name: 'troupe_step_followers',
      help: 'Clients of /ws connected to this gateway.',
      registers: [this.#registry],
      collect() {
        this.set(records.sockets)
      },
    })
  }

  #access(access: AccessCounts): void {
    new Gauge({
      name: 'troupe_access_grants',
      help: 'Grants of scoped access, by status.',
      labelNames: ['status'],
      registers: [this.#registry],
      collect() {
        for (const status of grantStatuses) this.set({ status }, 0)
        for (const status of access.grants()) this.inc({ status })
      },
    })
    new Gauge({
      name: 'troupe_access_requests',
      help: 'Requests for scoped access, by status.',
      labelNames: ['status'],
      registers: [this.#registry],
      collect() {
        for (const status of requestStatuses) this.set({ status }, 0)
        for (const status of access.requests()) this.inc({ status })
      },
    })
  }

  #audit({ watch }: AuditMetrics): void {
    const registers = [this.#registry]
    new Gauge({
      name: 'troupe_audit_entries',
      help: 'Entries of the audit, of all clients together.',
      registers,
      collect() {
        this.set(watch.state?.entries ?? 0)
      },
    })
    new Gauge({
      name: 'troupe_audit_backlog_entries',
      help: 'What has happened and is not in the audit yet, as far as it is known.',
      registers,
      collect() {
        this.set(watch.state?.backlogEntries ?? 0)
      },
    })
    new Gauge({
      name: 'troupe_audit_lag_seconds',
      help: 'How far behind the audit may be; beyond a minute nothing is decided.',
      registers,
      collect() {
        if (watch.state) this.set(watch.lagMs / 1000)
      },
    })
  }

  #cdp(cdp: MetricsDeps['cdp']): void {
    new Gauge({
      name: 'troupe_cdp_sockets',
      help: 'CDP clients connected to this gateway.',
      registers: [this.#registry],
      collect() {
        this.set(cdp.sockets)
      },
    })
    new Counter({
      name: 'troupe_cdp_bytes_total',
      help: 'Payload bytes of CDP messages, by direction.',
      labelNames: ['direction'],
      registers: [this.#registry],
      collect() {
        this.reset()
        this.inc({ direction: 'to_browser' }, cdp.traffic.toBrowserBytes)
        this.inc({ direction: 'from_browser' }, cdp.traffic.fromBrowserBytes)
      },
    })
  }
}
