/**
 * Bytes between a gateway and a browser. A door says how one browser is reached; a channel is one
 * WebSocket through it, message by message, untouched; a stream has no messages. None of them knows
 * what the bytes mean.
 */
export interface ByteChannel {
  /** Keeps `data` until it is written: the caller gives it away. */
  send(data: Uint8Array, isBinary: boolean): void
  /** Given to `send` and not yet taken by the network. */
  readonly bufferedBytes: number
  /** Stops and restarts reading, so that the other side feels a slow reader. */
  pause(): void
  resume(): void
  /** Ends the channel without `lost` being told. */
  close(): void
}

export interface ChannelListener {
  received(data: Uint8Array, isBinary: boolean): void
  /** The other side closed, or the connection broke. Told once; nothing follows. */
  lost(): void
}

/** Where a channel has messages, this has bytes, in whatever pieces they came. */
export interface ByteStream extends Omit<ByteChannel, 'send'> {
  /** Keeps `data` until it is written: the caller gives it away. */
  send(data: Uint8Array): void
}

export interface StreamListener {
  received(data: Uint8Array): void
  /** The other side closed, or the connection broke. Told once; nothing follows. */
  lost(): void
}

export interface Door {
  /**
   * Opens the WebSocket at a DevTools path, within
   * `limits.channelDialMs`. Throws {@link DialFailed}.
   */
  dial(path: string, listener: ChannelListener): Promise<ByteChannel>
  /**
   * Opens a stream to the VNC server of its desktop, paused: that server speaks first, and `resume`
   * says that somebody listens. Throws {@link DialFailed}.
   */
  dialDesktop(listener: StreamListener): Promise<ByteStream>
  /** The body of a GET on the browser's DevTools HTTP server. Throws {@link DialFailed}. */
  get(path: string): Promise<string>
}

export class DialFailed extends Error {
  /** True when somebody was there and said no: dialling again the same way is no use. */
  readonly refused: boolean
  /** Of the HTTP answer that said no, where there was one to a GET. */
  readonly status: number | undefined

  constructor(what: string, refused: boolean, cause?: unknown, status?: number) {
    super(`cannot reach the browser: ${what}`, { cause })
    this.name = 'DialFailed'
    this.refused = refused
    this.status = status
  }
}
