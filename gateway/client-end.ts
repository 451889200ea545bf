/** The client's end of a socket: open or not yet, ended with a reason, closed once. */
import { limits } from '../proto/limits.ts'
import type { ServerSocket } from './http.ts'

export class ClientEnd {
  readonly #onClosed: () => void
  #socket: ServerSocket | undefined
  #ended: { readonly code: number; readonly reason: string } | undefined
  #isClosed = false
  #silentMs = 0

  /** `onClosed` is told once, whatever happened. */
  constructor(onClosed: () => void) {
    this.#onClosed = onClosed
  }

  /** While it is open. */
  get socket(): ServerSocket | undefined {
    return this.#socket
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** False when it was ended before it opened, and is on its way out. */
  opened(socket: ServerSocket): boolean {
    if (this.#ended) socket.end(this.#ended.code, this.#ended.reason)
    else this.#socket = socket
    return this.#ended === undefined
  }

  /** Any byte is a sign of life, and so is an answered ping. */
  alive(): void {
    this.#silentMs = 0
  }

  closed(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#socket = undefined
    this.#onClosed()
  }

  end(code: number, reason: string): void {
    const socket = this.#socket
    this.#ended ??= { code, reason }
    // The server library tells `closed` from within.
    if (socket) socket.end(code, reason)
    else this.closed()
  }

  /** Called every so often: a busy client is left alone, a silent one pinged, a dead one given up. */
  tick(elapsedMs: number): void {
    if (this.#silentMs >= limits.cdpSilenceMs) {
      this.end(1001, 'The client has not given a sign of life.')
    } else if (this.#silentMs > 0) this.#socket?.ping()
    this.#silentMs += elapsedMs
  }
}
