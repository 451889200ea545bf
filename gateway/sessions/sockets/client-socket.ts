/**
 * The life of a client's socket of any kind: not open yet, open, ended with a reason, closed once.
 */
import { socketCodes, type Closing } from '../../server/closing.ts'
import type { ServerSocket, SocketHandler } from '../../server/http.ts'
import type { StandingSocket } from './standing-sockets.ts'
import { gatewaySessionLimits } from '../limits.ts'

export abstract class ClientSocket implements SocketHandler, StandingSocket {
  #socket: ServerSocket | undefined
  #ended: Closing | undefined
  #isClosed = false
  #silentMs = 0

  abstract message(data: Uint8Array, isBinary: boolean): void

  abstract drained(): void

  /** Not called for a socket that was ended before it opened. */
  protected onOpened(): void {}

  /** Called exactly once, however the socket was closed. */
  protected abstract onClosed(): void

  /** Undefined unless the socket is open. */
  protected get socket(): ServerSocket | undefined {
    return this.#socket
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  opened(socket: ServerSocket): void {
    if (this.#ended) return socket.end(this.#ended.code, this.#ended.reason)
    this.#socket = socket
    this.onOpened()
  }

  /** Called for every received byte and every pong. */
  alive(): void {
    this.#silentMs = 0
  }

  closed(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#socket = undefined
    this.onClosed()
  }

  end(code: number, reason: string): void {
    this.#end(code, reason)
  }

  /**
   * Called periodically: an active client is left alone, a silent one is pinged and finally closed.
   */
  tick(elapsedMs: number): void {
    if (this.#silentMs >= gatewaySessionLimits.cdpSilenceMs) {
      this.#end(socketCodes.goingAway, 'The client did not respond to pings.')
    } else if (this.#silentMs > 0) this.#socket?.ping()
    this.#silentMs += elapsedMs
  }

  /** Ends at once, even if a subclass overrides `end` to send its last messages first. */
  #end(code: number, reason: string): void {
    const socket = this.#socket
    this.#ended ??= { code, reason }
    // The server library calls `closed` from within `end`.
    if (socket) socket.end(code, reason)
    else this.closed()
  }
}
