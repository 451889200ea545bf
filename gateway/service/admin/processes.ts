/** The processes of the service, each with how often it had to be replaced. */
import { ServiceError } from '../../../proto/errors.ts'
import type { HostRecord } from '../../../proto/host.ts'
import { startOfIncarnation } from '../../../proto/ids.ts'
import { askNode } from '../../../runtime/browser-host/node-client.ts'
import type { Bus } from '../../../runtime/store/bus.ts'
import { gatewayLimits } from '../../limits.ts'

export interface ProcessFacts {
  readonly record: HostRecord
  readonly startedAtMs: number
  /**
   * Processes of the same role on the same host that have ended within the last hour, which is how
   * long their records are kept. They count for each process that has started since.
   */
  readonly endedBefore: number
}

/** Those that are not dead, by host and then by role. */
export function processesIn(hosts: readonly HostRecord[]): readonly ProcessFacts[] {
  const nameOf = ({ nodeId, role }: HostRecord) => `${nodeId} ${role}`
  const startOf = ({ incarnation }: HostRecord) => startOfIncarnation(incarnation)
  const dead = hosts.filter(({ state }) => state === 'dead')
  const endedBefore = (of: HostRecord) =>
    dead.filter((one) => nameOf(one) === nameOf(of) && startOf(one) < startOf(of)).length
  return hosts
    .filter(({ state }) => state !== 'dead')
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
 * The host takes no new sessions from now on. Returns how many still run there; throws `not_found`
 * if no browser host has this name, `unavailable` if it does not answer.
 */
export async function drainHost(
  { membership, bus }: HostDrainDeps,
  nodeId: string,
): Promise<{ readonly sessions: number }> {
  const agents = membership
    .hosts()
    .filter(({ role, state }) => role === 'node-agent' && state !== 'dead')
  if (!agents.some((agent) => agent.nodeId === nodeId)) {
    const names = [...new Set(agents.map((agent) => agent.nodeId))].join(', ')
    const there = names === '' ? 'No browser host is alive' : `There are: ${names}`
    throw new ServiceError('not_found', `There is no browser host of this name. ${there}.`)
  }
  return askNode(bus, nodeId, 'drain', {}, gatewayLimits.drainAskMs)
}
