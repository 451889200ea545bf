/** Adapts a WebSocket of uWebSockets.js to `ServerSocket`. */
import { limits } from '../../../proto/limits.ts'
import { closeReason, socketCodes, tooBigForBrowser } from '../closing.ts'
import type { ServerSocket, SocketHandler } from '../http.ts'
import type { UwsBehavior, UwsWebSocket } from './library.ts'
import { serverLimits } from '../limits.ts'

interface SocketData {
  readonly handler: SocketHandler
}

const sendDropped = 2

/**
 * No compression: CDP is local or fast, and deflate costs more than it saves. No idle timeout: the
 * handler pings the client and decides when a silent one is closed.
 */
export const socketBehavior: UwsBehavior<SocketData> = {
  // Beyond its limit the library drops the connection without a reason, so the limit is above ours.
  maxPayloadLength: serverLimits.cdpBufferedBytes,
  maxBackpressure: limits.cdpFromBrowserBytes + serverLimits.cdpPauseBytes,
  compression: 0,
  idleTimeout: 0,
  sendPingsAutomatically: false,
  open(ws) {
    ws.getUserData().handler.opened(new UwsSocket(ws))
  },
  message(ws, message, isBinary) {
    const { handler } = ws.getUserData()
    if (message.byteLength > serverLimits.cdpToBrowserBytes) {
      ws.end(socketCodes.tooBig, tooBigForBrowser)
    } else {
      // The buffer is valid only during the callback, so it is copied.
      handler.message(Buffer.from(new Uint8Array(message)), isBinary)
    }
  },
  drain(ws) {
    ws.getUserData().handler.drained()
  },
  ping(ws) {
    ws.getUserData().handler.alive()
  },
  pong(ws) {
    ws.getUserData().handler.alive()
  },
  close(ws, code, message) {
    const { handler } = ws.getUserData()
    handler.closed(code, Buffer.from(message).toString('utf8'))
  },
}

class UwsSocket implements ServerSocket {
  readonly #ws: UwsWebSocket<SocketData>

  constructor(ws: UwsWebSocket<SocketData>) {
    this.#ws = ws
  }

  send(data: Uint8Array, isBinary: boolean): boolean {
    return this.#ws.send(data, isBinary, false) !== sendDropped
  }

  get bufferedBytes(): number {
    return this.#ws.getBufferedAmount()
  }

  cork(work: () => void): void {
    this.#ws.cork(work)
  }

  ping(): void {
    this.#ws.ping()
  }

  end(code: number, reason: string): void {
    this.#ws.end(code, closeReason(reason))
  }
}
