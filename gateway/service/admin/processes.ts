/** The processes of the service, and how often each was replaced. */
import { ServiceError } from '../../../proto/errors.ts'
import { isLiveHost, type HostRecord, type LiveHost } from '../../../proto/host.ts'
import { startOfIncarnation } from '../../../proto/ids.ts'
import { askNode } from '../../../runtime/browser-host/node-client.ts'
import type { Bus } from '../../../runtime/store/bus.ts'
import { gatewayLimits } from '../../limits.ts'

export interface ProcessFacts {
  readonly record: LiveHost
  readonly startedAtMs: number
  /**
   * The number of processes of the same role on the same host that ended within the last hour,
   * which is how long their records are kept. It is the same for all processes that have started
   * since.
   */
  readonly endedBefore: number
}

/** The processes that are not dead, by host and then by role. */
export function processesIn(hosts: readonly HostRecord[]): readonly ProcessFacts[] {
  const nameOf = ({ nodeId, role }: HostRecord) => `${nodeId} ${role}`
  const startOf = ({ incarnation }: HostRecord) => startOfIncarnation(incarnation)
  const dead = hosts.filter(({ state }) => state === 'dead')
  const endedBefore = (of: HostRecord) =>
    dead.filter((one) => nameOf(one) === nameOf(of) && startOf(one) < startOf(of)).length
  return hosts
    .filter(isLiveHost)
    .toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)) || startOf(a) - startOf(b))
    .map((record) => ({
      ...{ record, startedAtMs: startOf(record), endedBefore: endedBefore(record) },
    }))
}

export interface HostDrainDeps {
  readonly membership: { hosts(): readonly HostRecord[] }
  readonly bus: Bus
}

/**
 * Makes the host refuse new sessions, or take them again. Returns the number of sessions that run
 * there. Throws `not_found` if no browser host has this name, and `unavailable` if it does not
 * answer.
 */
export async function askHost(
  { membership, bus }: HostDrainDeps,
  nodeId: string,
  verb: 'drain' | 'undrain',
): Promise<{ readonly sessions: number }> {
  const agents = membership.hosts().filter((host) => host.role === 'node-agent' && isLiveHost(host))
  if (!agents.some((agent) => agent.nodeId === nodeId)) {
    const names = [...new Set(agents.map((agent) => agent.nodeId))].join(', ')
    const there = names === '' ? 'No browser host is running' : `Browser hosts: ${names}`
    throw new ServiceError('not_found', `There is no browser host with this name. ${there}.`)
  }
  return askNode(bus, nodeId, verb, {}, gatewayLimits.drainAskMs)
}
