/**
 * Reads previews of sessions (pages and a picture) from their hosts, for lists. This gateway
 * requests the preview of a session at most once in a while, however many people look at lists.
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

  /** Throws `unavailable` if the host does not answer, or if too many previews are being read. */
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
  new ServiceError('unavailable', 'Too many previews are being read at this moment.')
