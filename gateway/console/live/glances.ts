/**
 * Looks at the browsers of sessions, for their pictures in lists. A session is asked at most once in
 * a while by this gateway, however many people look at it.
 */
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../../proto/errors.ts'
import type { NodeVerbs } from '../../../proto/browser-host/node.ts'
import type { SessionView } from '../../../proto/session/session.ts'
import { askNode } from '../../../runtime/browser-host/node-client.ts'
import type { Bus } from '../../../runtime/store/bus.ts'
import { consoleLimits } from '../limits.ts'

export type SessionGlance = NodeVerbs['glance']['reply']

export class SessionGlances {
  readonly #bus: Bus
  readonly #taken = new LRUCache<string, Promise<SessionGlance>>({
    max: consoleLimits.glances,
    ttl: consoleLimits.glanceKeptMs,
  })
  #asking = 0

  constructor(bus: Bus) {
    this.#bus = bus
  }

  /** Throws `unavailable` if its host does not answer, or if too many are being asked. */
  of({ id, nodeId }: Pick<SessionView, 'id' | 'nodeId'>): Promise<SessionGlance> {
    const known = this.#taken.get(id)
    if (known) return known
    const glance = this.#ask(id, nodeId)
    this.#taken.set(id, glance)
    return glance
  }

  async #ask(sessionId: string, nodeId: string | undefined): Promise<SessionGlance> {
    if (nodeId === undefined) return { pages: [] }
    if (this.#asking >= consoleLimits.glancesAtOnce) throw busy()
    this.#asking++
    try {
      return await askNode(this.#bus, nodeId, 'glance', { sessionId }, consoleLimits.glanceMs)
    } finally {
      this.#asking--
    }
  }
}

const busy = () =>
  new ServiceError('unavailable', 'Too many pictures are being taken at this moment.')
