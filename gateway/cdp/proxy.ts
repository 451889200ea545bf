/**
 * One client's socket and its channel to the browser. Messages pass both ways unchanged, except for
 * the few that the rules of `cdp-rules/` filter; flow control keeps either side from flooding the
 * other.
 */
import type { ByteChannel, ChannelListener } from '../../runtime/browser-host/channel/channel.ts'
import { ClientSocket } from '../sessions/sockets/client-socket.ts'
import { socketCodes } from '../server/closing.ts'
import { OwnTargets } from '../../runtime/browser-host/cdp-rules/own-targets.ts'
import {
  filterCall,
  type ClientCallRules,
} from '../../runtime/browser-host/cdp-rules/client-calls.ts'
import { serverLimits } from '../server/limits.ts'

/** Bytes carried since the gateway started; read by the metrics. */
export interface CdpTraffic {
  toBrowserBytes: number
  fromBrowserBytes: number
}

export interface CdpProxyOptions {
  readonly rules: ClientCallRules
  /** The browser context of the service's own pages. */
  readonly ownContextId: string | undefined
  readonly traffic: CdpTraffic
  /** The browser's side closed: the owner finds out why and calls `end`. */
  readonly onLost: (proxy: CdpProxy) => void
  /**
   * A call was refused here. The argument is its method, or what the client sent instead of one.
   */
  readonly onRefused: (method: string) => void
  /** The client's side closed; called exactly once. */
  readonly onClosed: (proxy: CdpProxy) => void
}

const binaryRefusal = 'CDP messages are JSON in text frames; this one was binary.'

interface Message {
  readonly data: Uint8Array
  readonly isBinary: boolean
}

export class CdpProxy extends ClientSocket implements ChannelListener {
  readonly #options: CdpProxyOptions
  readonly #ownTargets: OwnTargets | undefined
  #channel: ByteChannel | undefined
  #burst: Message[] = []
  #isPaused = false

  constructor(options: CdpProxyOptions) {
    super()
    this.#options = options
    const { ownContextId } = options
    this.#ownTargets =
      ownContextId === undefined
        ? undefined
        : new OwnTargets(ownContextId, (message) => this.#channel?.send(message, false))
  }

  /** Sets the channel for the client's messages, before the client's socket opens. */
  connect(channel: ByteChannel): void {
    if (this.isClosed) channel.close()
    else this.#channel = channel
  }

  override message(data: Uint8Array, isBinary: boolean): void {
    this.alive()
    const channel = this.#channel
    if (!channel) return
    // Chromium would close the connection and not say why.
    if (isBinary) return this.end(socketCodes.notAccepted, binaryRefusal)
    const { rules, traffic, onRefused } = this.#options
    const filtered = filterCall(data, rules)
    if (filtered?.to === 'client') {
      if (filtered.refused !== undefined) onRefused(filtered.refused)
      return this.#sendToClient(filtered.message, false)
    }
    traffic.toBrowserBytes += data.byteLength
    channel.send(filtered?.message ?? data, false)
    if (channel.bufferedBytes > serverLimits.cdpBufferedBytes) {
      this.end(socketCodes.overloaded, 'The browser cannot keep up with the data sent to it.')
    }
  }

  received(data: Uint8Array, isBinary: boolean): void {
    this.#options.traffic.fromBrowserBytes += data.byteLength
    const visible = this.#ownTargets ? this.#ownTargets.visible(data) : data
    if (visible) this.#sendToClient(visible, isBinary)
  }

  /** Messages that arrive together are sent together: one system call for a burst of events. */
  #sendToClient(data: Uint8Array, isBinary: boolean): void {
    if (this.#burst.push({ data, isBinary }) === 1) queueMicrotask(() => this.#flush())
  }

  override drained(): void {
    this.alive()
    const { socket } = this
    if (!this.#isPaused || !socket) return
    if (socket.bufferedBytes > serverLimits.cdpPauseBytes / 2) return
    this.#isPaused = false
    this.#channel?.resume()
  }

  #flush(): void {
    const burst = this.#burst
    this.#burst = []
    this.socket?.cork(() => {
      for (const { data, isBinary } of burst) this.#forward(data, isBinary)
    })
  }

  #forward(data: Uint8Array, isBinary: boolean): void {
    const { socket } = this
    if (!socket) return
    if (!socket.send(data, isBinary)) {
      this.end(
        socketCodes.overloaded,
        'The client cannot keep up with the data that the browser sends.',
      )
    } else if (!this.#isPaused && socket.bufferedBytes > serverLimits.cdpPauseBytes) {
      this.#isPaused = true
      this.#channel?.pause()
    }
  }

  lost(): void {
    this.#channel = undefined
    if (!this.isClosed) this.#options.onLost(this)
  }

  protected override onClosed(): void {
    this.#channel?.close()
    this.#channel = undefined
    this.#options.onClosed(this)
  }
}
