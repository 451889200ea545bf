/** Readiness: a gateway is ready if a session requested now would get a browser. */
import { ServiceError } from '../../proto/errors.ts'
import {
  isolationModes,
  type BoundsKind,
  type HostRecord,
  type IsolationMode,
} from '../../proto/host.ts'
import type { Membership } from '../../runtime/cluster/membership.ts'

export interface Readiness {
  readonly nodes: number
  readonly warm: number
  readonly claimed: number
  readonly capacity: number
  /** The weakest isolation of all browser hosts; `none` if one host has none. */
  readonly isolation: IsolationMode
  /** Why it is not better, with each reason once. */
  readonly isolation_lacks: string[]
  /** The kernel's only if it is so on all browser hosts. */
  readonly bounds: BoundsKind
}

export class Health {
  readonly #membership: Pick<Membership, 'hosts'>
  #isDraining = false

  constructor(membership: Pick<Membership, 'hosts'>) {
    this.#membership = membership
  }

  drain(): void {
    this.#isDraining = true
  }

  /** Throws `unavailable` or `draining` with what is missing and how to fix it. */
  ready(): Readiness {
    if (this.#isDraining) {
      throw new ServiceError('draining', 'This gateway is shutting down; use another one.')
    }
    if (this.#alive('actors').length === 0) {
      throw unreadyError('No actor host is running; start one with: npm run troupe -- actors')
    }
    const agents = this.#alive('node-agent')
    if (agents.length === 0) {
      const isDrained = this.#membership.hosts().some(isDrainingAgent)
      if (isDrained) {
        throw unreadyError(
          'All browser hosts are draining; start another one, or run: npm run troupe -- hosts ' +
            'undrain NAME',
        )
      }
      throw unreadyError('No browser host is running; start one with: npm run troupe -- node-agent')
    }
    if (!agents.some(({ browsers }) => browsers?.ready)) {
      throw unreadyError(
        'No browser host has a free browser; wait, end sessions, or run: npm run troupe -- ' +
          'doctor',
      )
    }
    return sum(agents)
  }

  /** The sum of the session limits of all browser hosts that are alive. */
  capacity(): number {
    return sum(this.#alive('node-agent')).capacity
  }

  #alive(role: HostRecord['role']): readonly HostRecord[] {
    return this.#membership.hosts().filter((host) => host.state === 'alive' && host.role === role)
  }
}

const isDrainingAgent = ({ role, state }: HostRecord) =>
  role === 'node-agent' && state === 'draining'

function sum(agents: readonly HostRecord[]): Readiness {
  const total = (pick: 'warm' | 'claimed' | 'capacity') =>
    agents.reduce((count, { browsers }) => count + (browsers?.[pick] ?? 0), 0)
  return {
    nodes: agents.length,
    warm: total('warm'),
    claimed: total('claimed'),
    capacity: total('capacity'),
    isolation: leastOf(agents),
    isolation_lacks: [...new Set(agents.flatMap(({ isolationLacks = [] }) => isolationLacks))],
    bounds: agents.every(({ bounds }) => bounds === 'kernel') ? 'kernel' : 'checks',
  }
}

/** The weakest mode counts, because a session may be placed on any of these hosts. */
function leastOf(agents: readonly HostRecord[]): IsolationMode {
  const is = (mode: IsolationMode) => agents.some(({ isolation = 'none' }) => isolation === mode)
  return isolationModes.findLast(is) ?? 'none'
}

function unreadyError(message: string): ServiceError {
  return new ServiceError('unavailable', message)
}
