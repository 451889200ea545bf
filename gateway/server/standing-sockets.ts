/**
 * Every socket of one kind that stands, by session: counted, asked now and then whether they live,
 * and ended with a reason when their session or this gateway ends.
 */
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import type { Clock, Timer } from '../../runtime/clock.ts'
import { closingOf, gatewayDraining } from './closing.ts'
import type { SessionViews } from '../sessions/sessions.ts'

export interface StandingSocket {
  /** Closes both sides; harmless when they are. */
  end(code: number, reason: string): void
  tick(elapsedMs: number): void
}

interface Deps {
  readonly views: SessionViews
  readonly clock: Clock
}

export class StandingSockets<S extends StandingSocket> {
  readonly #clock: Clock
  readonly #onBeat: (sessionId: string) => void
  readonly #bySession = new Map<string, Set<S>>()
  readonly #unwatch: () => void
  #heartbeat: Timer
  #isDrained = false

  /** `onBeat` is told now and then of every session that has sockets. */
  constructor({ views, clock }: Deps, onBeat: (sessionId: string) => void = () => {}) {
    this.#clock = clock
    this.#onBeat = onBeat
    this.#heartbeat = this.#beat()
    this.#unwatch = views.onChange((view, id) => {
      const closing = closingOf(view)
      if (!closing) return
      for (const socket of this.of(id)) socket.end(closing.code, closing.reason)
    })
  }

  get size(): number {
    return [...this.#bySession.values()].reduce((sum, { size }) => sum + size, 0)
  }

  of(sessionId: string): ReadonlySet<S> {
    return this.#bySession.get(sessionId) ?? new Set()
  }

  /** Throws `rate_limited` when the session has as many as it may, `draining` after `drain`. */
  add(sessionId: string, socket: S, limit: number): void {
    if (this.#isDrained) {
      throw new ServiceError('draining', 'This gateway is being shut down; use another one.')
    }
    const sockets = this.#bySession.get(sessionId) ?? new Set<S>()
    if (sockets.size >= limit) {
      const details = { current: sockets.size, limit }
      throw new ServiceError('rate_limited', 'Too many clients on this session.', details)
    }
    this.#bySession.set(sessionId, sockets.add(socket))
  }

  /** False when it was not there. */
  delete(sessionId: string, socket: S): boolean {
    const sockets = this.#bySession.get(sessionId)
    const known = sockets?.delete(socket) ?? false
    if (sockets?.size === 0) this.#bySession.delete(sessionId)
    return known
  }

  /** Asks every client to connect again elsewhere. */
  drain(): void {
    this.#isDrained = true
    this.#unwatch()
    this.#heartbeat.cancel()
    const { code, reason } = gatewayDraining
    for (const sockets of this.#bySession.values()) {
      for (const socket of sockets) socket.end(code, reason)
    }
  }

  #beat(): Timer {
    return this.#clock.timer(limits.cdpPingIdleMs, () => {
      for (const [sessionId, sockets] of this.#bySession) {
        for (const socket of sockets) socket.tick(limits.cdpPingIdleMs)
        this.#onBeat(sessionId)
      }
      this.#heartbeat = this.#beat()
    })
  }
}
