/** A client's socket, whatever it is for: open or not yet, ended with a reason, closed once. */
import { limits } from '../../proto/limits.ts'
import { socketCodes, type Closing } from './closing.ts'
import type { ServerSocket, SocketHandler } from './http.ts'
import type { StandingSocket } from './standing-sockets.ts'

export abstract class ClientSocket implements SocketHandler, StandingSocket {
  #socket: ServerSocket | undefined
  #ended: Closing | undefined
  #isClosed = false
  #silentMs = 0

  abstract message(data: Uint8Array, isBinary: boolean): void

  abstract drained(): void

  /** Not told of one that was ended before it opened, and is on its way out. */
  protected onOpened(): void {}

  /** Told once, whatever happened. */
  protected abstract onClosed(): void

  /** While it is open. */
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

  /** Any byte is a sign of life, and so is an answered ping. */
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

  /** Called every so often: a busy client is left alone, a silent one pinged, then given up. */
  tick(elapsedMs: number): void {
    if (this.#silentMs >= limits.cdpSilenceMs) {
      this.#end(socketCodes.goingAway, 'The client has not given a sign of life.')
    } else if (this.#silentMs > 0) this.#socket?.ping()
    this.#silentMs += elapsedMs
  }

  /** At once, even where `end` has been made to wait for what is still to be said. */
  #end(code: number, reason: string): void {
    const socket = this.#socket
    this.#ended ??= { code, reason }
    // The server library tells `closed` from within.
    if (socket) socket.end(code, reason)
    else this.closed()
  }
}
