/**
 * The open sockets of one kind, by session: counted, checked for life periodically, and ended with
 * a reason when their session, their key or token, or this gateway ends.
 */
import { ServiceError } from '../../../proto/errors.ts'
import type { Clock, Timer } from '../../../runtime/lib/clock.ts'
import type { KeyValidity, SocketPass } from '../../routing/auth/key-validity.ts'
import type { Closing } from '../../server/closing.ts'
import type { SessionViews } from '../session-views.ts'
import { closingOf, gatewayDraining, keyIsOver, tokenIsOver } from './session-closing.ts'
import { gatewaySessionLimits } from '../limits.ts'

export interface StandingSocket {
  /** Closes both sides; has no effect on a closed socket. */
  end(code: number, reason: string): void
  tick(elapsedMs: number): void
}

interface Standing {
  readonly pass: SocketPass
  readonly expiry: Timer | undefined
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
  readonly #standing = new Map<S, Standing>()
  readonly #unwatch: readonly (() => void)[]
  #heartbeat: Timer
  #isDrained = false

  /** `onBeat` is called periodically for every session that has sockets. */
  constructor({ views, keyValidity, clock }: Deps, onBeat: (sessionId: string) => void = () => {}) {
    this.#clock = clock
    this.#onBeat = onBeat
    this.#keyValidity = keyValidity
    this.#heartbeat = this.#beat()
    this.#unwatch = [
      views.onChange((view, id) => {
        const closing = closingOf(view)
        if (closing) for (const socket of this.of(id)) end(socket, closing)
        else this.#endOlder(id, view?.liveGeneration ?? 0)
      }),
      keyValidity.onRevoked(() => this.#endUnkeyed()),
    ]
  }

  get size(): number {
    return this.#standing.size
  }

  of(sessionId: string): ReadonlySet<S> {
    return this.#bySession.get(sessionId) ?? new Set()
  }

  /** Throws `rate_limited` if the session has too many sockets, and `draining` after `drain`. */
  add(sessionId: string, socket: S, pass: SocketPass, limit: number): void {
    if (this.#isDrained) {
      throw new ServiceError('draining', 'This gateway is shutting down; use another one.')
    }
    const sockets = this.#bySession.get(sessionId) ?? new Set<S>()
    if (sockets.size >= limit) {
      const details = { current: sockets.size, limit }
      throw new ServiceError(
        'rate_limited',
        'Too many clients are connected to this session; close one first.',
        details,
      )
    }
    this.#bySession.set(sessionId, sockets.add(socket))
    this.#standing.set(socket, { pass, expiry: this.#expiryOf(socket, pass) })
  }

  /** Returns false if the socket was not there. */
  delete(sessionId: string, socket: S): boolean {
    const sockets = this.#bySession.get(sessionId)
    const known = sockets?.delete(socket) ?? false
    this.#standing.get(socket)?.expiry?.cancel()
    this.#standing.delete(socket)
    if (sockets?.size === 0) this.#bySession.delete(sessionId)
    return known
  }

  /** Closes all sockets with a reason that asks clients to connect again. */
  drain(): void {
    this.#isDrained = true
    for (const unwatch of this.#unwatch) unwatch()
    this.#heartbeat.cancel()
    for (const socket of this.#standing.keys()) end(socket, gatewayDraining)
  }

  #expiryOf(socket: S, { expiresAtMs }: SocketPass): Timer | undefined {
    if (expiresAtMs === undefined) return undefined
    const leftMs = expiresAtMs - this.#clock.now()
    return this.#clock.timer(leftMs, () => end(socket, tokenIsOver))
  }

  #endOlder(sessionId: string, generation: number): void {
    for (const socket of this.of(sessionId)) {
      const own = this.#standing.get(socket)?.pass.generation
      if (own !== undefined && own < generation) end(socket, tokenIsOver)
    }
  }

  #endUnkeyed(): void {
    for (const [socket, { pass }] of this.#standing) {
      if (this.#keyValidity.isPassOver(pass)) end(socket, keyIsOver)
    }
  }

  #beat(): Timer {
    return this.#clock.timer(gatewaySessionLimits.cdpPingIdleMs, () => {
      // Expiring keys cause no change event, so they are checked here.
      this.#endUnkeyed()
      for (const [sessionId, sockets] of this.#bySession) {
        for (const socket of sockets) socket.tick(gatewaySessionLimits.cdpPingIdleMs)
        this.#onBeat(sessionId)
      }
      this.#heartbeat = this.#beat()
    })
  }
}

const end = (socket: StandingSocket, { code, reason }: Closing) => socket.end(code, reason)
