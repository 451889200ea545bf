/** Adapts a WebSocket of `ws` to `ServerSocket`. */
import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { limits } from '../../../proto/limits.ts'
import { closeReason, socketCodes, tooBigForBrowser } from '../closing.ts'
import type { ServerSocket, SocketHandler } from '../http.ts'
import { serverLimits } from '../limits.ts'

const backlogBytes = limits.cdpFromBrowserBytes + serverLimits.cdpPauseBytes

/** `stream` is the TCP connection of the socket. */
export function openSocket(ws: WebSocket, stream: Socket, handler: SocketHandler): void {
  handler.opened(new NodeSocket(ws, stream, handler))
}

class NodeSocket implements ServerSocket {
  readonly #ws: WebSocket
  readonly #stream: Socket
  readonly #handler: SocketHandler
  #isEnded = false
  /** True while the buffer has not been emptied since a send. */
  #isBehind = false

  constructor(ws: WebSocket, stream: Socket, handler: SocketHandler) {
    this.#ws = ws
    this.#stream = stream
    this.#handler = handler
    // With the default binary type each message is one Buffer, including text.
    ws.on('message', (data, isBinary) => {
      if (!this.#isEnded && Buffer.isBuffer(data)) this.#message(data, isBinary)
    })
    ws.on('ping', () => handler.alive())
    ws.on('pong', () => handler.alive())
    // The close that follows the error is handled.
    ws.on('error', () => {})
    ws.once('close', (code, reason) => {
      if (!this.#isEnded) handler.closed(code, reason.toString('utf8'))
    })
  }

  send(data: Uint8Array, isBinary: boolean): boolean {
    if (this.bufferedBytes + data.byteLength > backlogBytes) return false
    for (let at = 0; ; at += serverLimits.socketFrameBytes) {
      const end = at + serverLimits.socketFrameBytes
      const fin = end >= data.byteLength
      const frame = fin && at === 0 ? data : data.subarray(at, end)
      this.#ws.send(frame, { binary: isBinary, fin }, this.#written)
      if (fin) break
    }
    this.#isBehind ||= this.bufferedBytes > 0
    return true
  }

  get bufferedBytes(): number {
    return this.#ws.bufferedAmount
  }

  cork(work: () => void): void {
    this.#stream.cork()
    try {
      work()
    } finally {
      this.#stream.uncork()
    }
  }

  ping(): void {
    this.#ws.ping()
  }

  end(code: number, reason: string): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#ws.close(code, closeReason(reason))
    // Called now, because the client may never answer the close.
    this.#handler.closed(code, reason)
  }

  #message(data: Buffer, isBinary: boolean): void {
    if (data.byteLength > serverLimits.cdpToBrowserBytes)
      this.end(socketCodes.tooBig, tooBigForBrowser)
    else this.#handler.message(data, isBinary)
  }

  readonly #written = (): void => {
    if (!this.#isBehind || this.#isEnded) return
    this.#isBehind = this.bufferedBytes > 0
    this.#handler.drained()
  }
}
