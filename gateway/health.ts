/** Ready means: a session asked for now would get a browser. */
import { ServiceError } from '../proto/errors.ts'
import type { HostRecord } from '../proto/host.ts'
import type { Membership } from '../runtime/membership.ts'

export interface Readiness {
  readonly nodes: number
  readonly warm: number
  readonly claimed: number
  readonly capacity: number
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

  /** Throws `unavailable` or `draining` with what is missing and what to do about it. */
  ready(): Readiness {
    if (this.#isDraining) {
      throw new ServiceError('draining', 'This gateway is being shut down; use another one.')
    }
    const alive = this.#membership.hosts().filter(({ state }) => state === 'alive')
    if (!alive.some(({ role }) => role === 'actors')) {
      throw unready('No actor host is alive; start one with: troupe actors')
    }
    const agents = alive.filter(({ role }) => role === 'node-agent')
    if (agents.length === 0) {
      throw unready('No browser host is alive; start one with: troupe node-agent')
    }
    if (!agents.some(({ browsers }) => browsers?.ready)) {
      throw unready(
        'No browser host can hand out a browser; wait, end sessions, or look at: troupe doctor',
      )
    }
    return sum(agents)
  }
}

function sum(agents: readonly HostRecord[]): Readiness {
  const total = (pick: 'warm' | 'claimed' | 'capacity') =>
    agents.reduce((count, { browsers }) => count + (browsers?.[pick] ?? 0), 0)
  return {
    nodes: agents.length,
    warm: total('warm'),
    claimed: total('claimed'),
    capacity: total('capacity'),
  }
}

function unready(message: string): ServiceError {
  return new ServiceError('unavailable', message)
}
