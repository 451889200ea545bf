/**
 * Bytes between a gateway and a browser. A dialer knows one way to reach a browser; a channel is
 * one WebSocket to it, which carries messages unchanged; a stream has no message boundaries. None
 * of them interprets the bytes.
 */
export interface ByteChannel {
  /** Keeps `data` until it is written, so the caller must not reuse it. */
  send(data: Uint8Array, isBinary: boolean): void
  /** Bytes given to `send` that the network has not taken yet. */
  readonly bufferedBytes: number
  /** Pauses and resumes reading, so that a slow reader slows down the sender. */
  pause(): void
  resume(): void
  /** Closes the channel; `lost` is not called. */
  close(): void
}

export interface ChannelListener {
  received(data: Uint8Array, isBinary: boolean): void
  /** The other side closed, or the connection broke. Called once and last. */
  lost(): void
}

/** Like a channel, but with bytes in arbitrary pieces instead of messages. */
export interface ByteStream extends Omit<ByteChannel, 'send'> {
  /** Keeps `data` until it is written, so the caller must not reuse it. */
  send(data: Uint8Array): void
}

export interface StreamListener {
  received(data: Uint8Array): void
  /** The other side closed, or the connection broke. Called once and last. */
  lost(): void
}

export interface BrowserDialer {
  /**
   * Opens the WebSocket at a DevTools path. This and the GETs below take turns: those beyond
   * `browserHostLimits.dialsAtOnce` wait for earlier ones, and each has `devtoolsDialMs` with its
   * wait. Throws {@link DialFailed}.
   */
  dial(path: string, listener: ChannelListener): Promise<ByteChannel>
  /**
   * Opens a stream to the desktop's VNC server. It starts paused, because the server speaks first;
   * call `resume` once there is a reader. Throws {@link DialFailed}.
   */
  dialDesktop(listener: StreamListener): Promise<ByteStream>
  /** Returns the body of a GET on the browser's DevTools HTTP server. Throws {@link DialFailed}. */
  get(path: string): Promise<string>
  /** The same for a file of any content, of at most `limits.inspectorFileBytes`. */
  getFile(path: string): Promise<Uint8Array>
}

export class DialFailed extends Error {
  /** True if the other side answered with a refusal: repeating the same dial is useless. */
  readonly refused: boolean
  /** Status of the HTTP response that refused a GET, if there was one. */
  readonly status: number | undefined

  constructor(what: string, refused: boolean, cause?: unknown, status?: number) {
    super(`cannot reach the browser: ${what}`, { cause })
    this.name = 'DialFailed'
    this.refused = refused
    this.status = status
  }
}
