/**
 * One client's socket and its channel to the browser: messages pass both ways untouched, but for
 * two kinds of call; neither side can flood the other.
 */
import { limits } from '../../proto/limits.ts'
import type { ByteChannel, ChannelListener } from '../../runtime/channel/channel.ts'
import { ClientEnd } from '../client-end.ts'
import type { ServerSocket, SocketHandler } from '../http.ts'
import { redirectDownloads } from './downloads.ts'
import { refusalOf } from './refused.ts'

/** Bytes carried since the start; read by the metrics. */
export interface Traffic {
  toBrowserBytes: number
  fromBrowserBytes: number
}

export interface ProxyOptions {
  readonly downloadsDir: string
  readonly traffic: Traffic
  /** The browser's side closed: find out why and `end`. */
  readonly onLost: (proxy: CdpProxy) => void
  /** The client's side is gone. Told once, whatever happened. */
  readonly onClosed: (proxy: CdpProxy) => void
}

interface Message {
  readonly data: Uint8Array
  readonly isBinary: boolean
}

/** Of a client that would not read, or a browser that would not. */
const overloaded = 1013

export class CdpProxy implements SocketHandler, ChannelListener {
  readonly #options: ProxyOptions
  readonly #client: ClientEnd
  #channel: ByteChannel | undefined
  #burst: Message[] = []
  #isPaused = false

  constructor(options: ProxyOptions) {
    this.#options = options
    this.#client = new ClientEnd(() => {
      this.#channel?.close()
      this.#channel = undefined
      options.onClosed(this)
    })
  }

  /** Where the client's messages go; known before the client's socket opens. */
  connect(channel: ByteChannel): void {
    if (this.#client.isClosed) channel.close()
    else this.#channel = channel
  }

  opened(socket: ServerSocket): void {
    this.#client.opened(socket)
  }

  message(data: Uint8Array, isBinary: boolean): void {
    this.#client.alive()
    const channel = this.#channel
    if (!channel) return
    const refusal = refusalOf(data)
    if (refusal) return this.received(refusal, false)
    const { downloadsDir, traffic } = this.#options
    traffic.toBrowserBytes += data.byteLength
    // The socket lends its bytes for the moment only, the channel wants them for good.
    channel.send(redirectDownloads(data, downloadsDir) ?? Buffer.from(data), isBinary)
    if (channel.bufferedBytes > limits.cdpBufferedBytes) {
      this.end(overloaded, 'The browser does not keep up with what is sent to it.')
    }
  }

  /** Messages that were read together leave together: one system call for a burst of events. */
  received(data: Uint8Array, isBinary: boolean): void {
    this.#options.traffic.fromBrowserBytes += data.byteLength
    if (this.#burst.push({ data, isBinary }) === 1) queueMicrotask(() => this.#flush())
  }

  drained(): void {
    this.#client.alive()
    const { socket } = this.#client
    if (!this.#isPaused || !socket) return
    if (socket.bufferedBytes > limits.cdpPauseBytes / 2) return
    this.#isPaused = false
    this.#channel?.resume()
  }

  #flush(): void {
    const burst = this.#burst
    this.#burst = []
    this.#client.socket?.cork(() => {
      for (const { data, isBinary } of burst) this.#forward(data, isBinary)
    })
  }

  #forward(data: Uint8Array, isBinary: boolean): void {
    const { socket } = this.#client
    if (!socket) return
    if (!socket.send(data, isBinary)) {
      this.end(overloaded, 'The client does not keep up with what the browser sends.')
    } else if (!this.#isPaused && socket.bufferedBytes > limits.cdpPauseBytes) {
      this.#isPaused = true
      this.#channel?.pause()
    }
  }

  alive(): void {
    this.#client.alive()
  }

  lost(): void {
    this.#channel = undefined
    if (!this.#client.isClosed) this.#options.onLost(this)
  }

  closed(): void {
    this.#client.closed()
  }

  /** Closes both sides; harmless when they are. */
  end(code: number, reason: string): void {
    this.#client.end(code, reason)
  }

  tick(elapsedMs: number): void {
    this.#client.tick(elapsedMs)
  }
}
