/**
 * Every socket of one kind that stands, by session: counted, asked now and then whether they live,
 * and ended with a reason when their session, their key or this gateway ends.
 */
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import type { Clock, Timer } from '../../runtime/clock.ts'
import type { KeyValidity } from '../key-validity.ts'
import type { SessionViews } from '../sessions/sessions.ts'
import { closingOf, gatewayDraining, keyIsOver } from './closing.ts'

export interface StandingSocket {
  /** Closes both sides; harmless when they are. */
  end(code: number, reason: string): void
  tick(elapsedMs: number): void
}

interface Deps {
  readonly views: SessionViews
  readonly keyValidity: KeyValidity
  readonly clock: Clock
}

export class StandingSockets<S extends StandingSocket> {
  readonly #clock: Clock
  readonly #onBeat: (sessionId: string) => void
  readonly #keyValidity: KeyValidity
  readonly #bySession = new Map<string, Set<S>>()
  /** The id of the key that each came with. */
  readonly #keyIds = new Map<S, string>()
  readonly #unwatch: readonly (() => void)[]
  #heartbeat: Timer
  #isDrained = false

  /** `onBeat` is told now and then of every session that has sockets. */
  constructor({ views, keyValidity, clock }: Deps, onBeat: (sessionId: string) => void = () => {}) {
    this.#clock = clock
    this.#onBeat = onBeat
    this.#keyValidity = keyValidity
    this.#heartbeat = this.#beat()
    this.#unwatch = [
      views.onChange((view, id) => {
        const closing = closingOf(view)
        if (!closing) return
        for (const socket of this.of(id)) socket.end(closing.code, closing.reason)
      }),
      keyValidity.onRevoked(() => this.#endUnkeyed()),
    ]
  }

  get size(): number {
    return this.#keyIds.size
  }

  of(sessionId: string): ReadonlySet<S> {
    return this.#bySession.get(sessionId) ?? new Set()
  }

  /** Throws `rate_limited` when the session has as many as it may, `draining` after `drain`. */
  add(sessionId: string, socket: S, keyId: string, limit: number): void {
    if (this.#isDrained) {
      throw new ServiceError('draining', 'This gateway is being shut down; use another one.')
    }
    const sockets = this.#bySession.get(sessionId) ?? new Set<S>()
    if (sockets.size >= limit) {
      const details = { current: sockets.size, limit }
      throw new ServiceError('rate_limited', 'Too many clients on this session.', details)
    }
    this.#bySession.set(sessionId, sockets.add(socket))
    this.#keyIds.set(socket, keyId)
  }

  /** False when it was not there. */
  delete(sessionId: string, socket: S): boolean {
    const sockets = this.#bySession.get(sessionId)
    const known = sockets?.delete(socket) ?? false
    if (known) this.#keyIds.delete(socket)
    if (sockets?.size === 0) this.#bySession.delete(sessionId)
    return known
  }

  /** Asks every client to connect again elsewhere. */
  drain(): void {
    this.#isDrained = true
    for (const unwatch of this.#unwatch) unwatch()
    this.#heartbeat.cancel()
    const { code, reason } = gatewayDraining
    for (const sockets of this.#bySession.values()) {
      for (const socket of sockets) socket.end(code, reason)
    }
  }

  #endUnkeyed(): void {
    for (const [socket, keyId] of this.#keyIds) {
      if (this.#keyValidity.isOver(keyId)) socket.end(keyIsOver.code, keyIsOver.reason)
    }
  }

  #beat(): Timer {
    return this.#clock.timer(limits.cdpPingIdleMs, () => {
      // Of keys that expire no change is told.
      this.#endUnkeyed()
      for (const [sessionId, sockets] of this.#bySession) {
        for (const socket of sockets) socket.tick(limits.cdpPingIdleMs)
        this.#onBeat(sessionId)
      }
      this.#heartbeat = this.#beat()
    })
  }
}
