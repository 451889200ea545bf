/**
 * Metrics that processes report about themselves in their host records. Every gateway exports the
 * same values for a host, so a sum over gateways counts them several times: take the maximum by
 * `node`.
 */
import type { Registry } from 'prom-client'
import {
  browserExitCauses,
  claimRefusals,
  type BrowserCounts,
  type ConnectionLoad,
  type ReportedHistogram,
} from '../../../proto/host-counts.ts'
import { isLiveHost, liveHostStates, type BrowserLoad } from '../../../proto/host.ts'
import { roles } from '../../../proto/ids.ts'
import { addActorFigures } from './actor-figures.ts'
import { readCounter, readGauge, readHistogram } from './figures.ts'
import type { HostReports } from './host-reports.ts'

const browserStates = ['warm', 'booting', 'claimed', 'queued', 'capacity'] as const

export function addHostFigures(registry: Registry, membership: HostReports): void {
  addProcesses(registry, membership)
  addBrowsers(registry, membership)
  addBrowserDurations(registry, membership)
  addBrowserFaults(registry, membership)
  addConnections(registry, membership)
  addActorFigures(registry, membership)
}

function addProcesses(registry: Registry, membership: HostReports): void {
  readGauge(
    registry,
    {
      name: 'troupe_processes',
      help: 'Processes of the service, by role; draining ones take no new work, silent ones have lost contact.',
      labels: ['role', 'state'],
    },
    () =>
      roles.flatMap((role) =>
        liveHostStates.map((state) => {
          const such = membership.hosts().filter((host) => host.role === role)
          return [{ role, state }, such.filter((host) => host.state === state).length] as const
        }),
      ),
  )
  readGauge(
    registry,
    {
      name: 'troupe_process_bytes',
      help: 'Resident memory of a process: gateways and actor hosts hold a record of each kept session and task.',
      labels: ['node', 'role'],
    },
    () => {
      // A host of an earlier start may still be known.
      const alive = membership.hosts().filter(isLiveHost)
      return alive.flatMap(({ nodeId: node, role, machineLoad }) =>
        machineLoad ? [[{ node, role }, machineLoad.processBytes] as const] : [],
      )
    },
  )
  readGauge(
    registry,
    {
      name: 'troupe_clock_skew_seconds',
      help:
        'How far the clock of another process is ahead of this one. Scoped access expires by ' +
        'clock.',
      labels: ['node', 'role'],
    },
    () =>
      membership
        .clockSkews()
        .map(({ nodeId: node, role, skewMs }) => [{ node, role }, skewMs / 1000] as const),
  )
}

function addBrowsers(registry: Registry, membership: HostReports): void {
  readGauge(
    registry,
    {
      name: 'troupe_browsers',
      help: 'Browsers and waiting callers, by browser host.',
      labels: ['node', 'state'],
    },
    () =>
      membership.hosts().flatMap(({ nodeId: node, state: hostState, browsers }) => {
        if (hostState !== 'alive' || !browsers) return []
        return browserStates.map((state) => [{ node, state }, browsers[state]] as const)
      }),
  )
}

function addBrowserDurations(registry: Registry, membership: HostReports): void {
  const durations = (name: string, help: string, pick: (of: BrowserCounts) => ReportedHistogram) =>
    readHistogram(registry, { name, help, labels: ['node'] }, () =>
      countsOf(membership).map(({ node, counts }) => [{ node }, pick(counts)] as const),
    )
  durations(
    'troupe_browser_wait_seconds',
    'How long callers waited until they had a browser.',
    ({ waits }) => waits,
  )
  durations(
    'troupe_browser_boot_seconds',
    'From the start of a browser until it was warm.',
    ({ boots }) => boots,
  )
}

function addBrowserFaults(registry: Registry, membership: HostReports): void {
  readCounter(
    registry,
    {
      name: 'troupe_browser_boot_failures_total',
      help: 'Browsers that failed to start.',
      labels: ['node'],
    },
    () => countsOf(membership).map(({ node, counts }) => [{ node }, counts.bootFailures] as const),
  )
  readCounter(
    registry,
    {
      name: 'troupe_browser_refusals_total',
      help: 'Requests for a browser that were refused because none was free, or none in time.',
      labels: ['node', 'reason'],
    },
    () =>
      countsOf(membership).flatMap(({ node, counts: { refusals } }) =>
        claimRefusals.map((reason) => [{ node, reason }, refusals[reason]] as const),
      ),
  )
  readCounter(
    registry,
    {
      name: 'troupe_browser_exits_total',
      help: 'Browsers that ended on their own; closed: by a client.',
      labels: ['node', 'cause'],
    },
    () =>
      countsOf(membership).flatMap(({ node, counts: { exits } }) =>
        browserExitCauses.map((cause) => [{ node, cause }, exits[cause]] as const),
      ),
  )
}

function addConnections(registry: Registry, membership: HostReports): void {
  const read = (of: (load: ConnectionLoad) => number) => () =>
    newestOf(membership, ({ connections }) => connections).map(
      ([node, load]) => [{ node }, of(load)] as const,
    )
  readGauge(
    registry,
    {
      name: 'troupe_browser_connections',
      help: 'Connections of browsers that go through the egress process of their node agent.',
      labels: ['node'],
    },
    read(({ open }) => open),
  )
  readCounter(
    registry,
    {
      name: 'troupe_browser_connections_refused_total',
      help: 'Connections of browsers that were refused because there were too many.',
      labels: ['node'],
    },
    read(({ refused }) => refused),
  )
  readCounter(
    registry,
    {
      name: 'troupe_egress_restarts_total',
      help: 'Ends of the egress process of a node agent, and with it of all its connections.',
      labels: ['node'],
    },
    read(({ restarts = 0 }) => restarts),
  )
}

const countsOf = (membership: HostReports) =>
  newestOf(membership, ({ counts }) => counts).map(([node, counts]) => ({ node, counts }))

/** By node; if a node's agent is being replaced, what the newer one reports. */
function newestOf<T>(
  membership: HostReports,
  pick: (load: BrowserLoad) => T | undefined,
): readonly (readonly [node: string, picked: T])[] {
  const agents = membership
    .hosts()
    .filter(isLiveHost)
    .sort((a, b) => (a.incarnation < b.incarnation ? -1 : 1))
  const newest = new Map<string, T>()
  for (const { nodeId, browsers } of agents) {
    const picked = browsers && pick(browsers)
    if (picked !== undefined) newest.set(nodeId, picked)
  }
  return [...newest]
}
