/**
 * Counts the viewers of a session. Each gateway counts its own; when its number changes, it
 * notifies the other gateways and gets their numbers in the answer. The numbers of a dead gateway
 * are dropped, and lost messages are corrected with the next heartbeat.
 */
import type { Logger } from 'pino'
import { decode, encode } from '../../proto/codec.ts'
import type { Incarnation } from '../../proto/ids.ts'
import { subjects } from '../../proto/subjects.ts'
import type { Bus, BusService } from '../../runtime/store/bus.ts'
import type { Membership } from '../../runtime/cluster/membership.ts'
import { liveLimits } from './limits.ts'

export interface AudienceDeps {
  readonly bus: Bus
  readonly incarnation: Incarnation
  readonly membership: Pick<Membership, 'hosts'>
  readonly log: Logger
}

/** One gateway's number of viewers of one session. */
interface Count {
  readonly by: Incarnation
  readonly sessionId: string
  readonly viewers: number
}

export class Audience {
  readonly #deps: AudienceDeps
  readonly #service: BusService
  readonly #own: (sessionId: string) => number
  readonly #onChange: (sessionId: string) => void
  /**
   * By other gateway and session: the number of viewers there; contains only numbers above zero.
   */
  readonly #others = new Map<Incarnation, Map<string, number>>()

  constructor(
    deps: AudienceDeps,
    own: (sessionId: string) => number,
    onChange: (sessionId: string) => void,
  ) {
    this.#deps = deps
    this.#own = own
    this.#onChange = onChange
    this.#service = deps.bus.serve(subjects.viewers(deps.incarnation), async (payload) => {
      const count = decode<Count>(payload)
      this.#learn(count)
      return encode(this.#count(count.sessionId))
    })
  }

  of(sessionId: string): number {
    let viewers = this.#own(sessionId)
    for (const by of this.#peers()) viewers += this.#others.get(by)?.get(sessionId) ?? 0
    return viewers
  }

  /** Sends our number to the other gateways; called after a change and on every heartbeat. */
  async tell(sessionId: string): Promise<void> {
    const { bus, log } = this.#deps
    const payload = encode(this.#count(sessionId))
    const asking = this.#peers().map(async (peer) => {
      const { viewersAskMs } = liveLimits
      this.#learn(decode<Count>(await bus.request(subjects.viewers(peer), payload, viewersAskMs)))
    })
    for (const { status } of await Promise.allSettled(asking)) {
      if (status === 'rejected') log.debug({ sessionId }, 'a gateway was not told of our viewers')
    }
  }

  /** Stops answering other gateways. */
  stop(): void {
    this.#service.stop()
  }

  #count(sessionId: string): Count {
    return { by: this.#deps.incarnation, sessionId, viewers: this.#own(sessionId) }
  }

  #peers(): Incarnation[] {
    const { membership, incarnation } = this.#deps
    const alive = membership
      .hosts()
      .filter(({ role, state }) => role === 'gateway' && state !== 'dead')
      .map((host) => host.incarnation)
    for (const gone of this.#others.keys()) if (!alive.includes(gone)) this.#others.delete(gone)
    return alive.filter((peer) => peer !== incarnation)
  }

  #learn({ by, sessionId, viewers }: Count): void {
    const known = this.#others.get(by) ?? new Map<string, number>()
    this.#others.set(by, known)
    if ((known.get(sessionId) ?? 0) === viewers) return
    if (viewers === 0) known.delete(sessionId)
    // The map is bounded; for further sessions the number is shown too low.
    else if (known.size < liveLimits.viewedSessionsPerPeer) known.set(sessionId, viewers)
    this.#onChange(sessionId)
  }
}
