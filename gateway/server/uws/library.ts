/**
 * Types of the parts of uWebSockets.js that we use. They are declared here because the package is
 * optional: the sources must compile without it, and with the official one.
 */

/** A pointer into the library's memory. */
export type UwsHandle = NonNullable<unknown>

export interface Library {
  App(): UwsApp
  us_listen_socket_close(socket: UwsHandle): void
  us_socket_local_port(socket: UwsHandle): number
}

export interface UwsApp {
  ws<Data>(pattern: string, behavior: UwsBehavior<Data>): UwsApp
  any(pattern: string, handler: (res: UwsResponse, req: UwsRequest) => void): UwsApp
  get(pattern: string, handler: (res: UwsResponse, req: UwsRequest) => void): UwsApp
  listen(host: string, port: number, done: (socket: UwsHandle | false) => void): UwsApp
}

export interface UwsRequest {
  getHeader(name: string): string
  getMethod(): string
  getUrl(): string
  /** Undefined if there is no query. */
  getQuery(): string | undefined
  /** With true, the request is passed on to the next route that matches. */
  setYield(isPassedOn: boolean): void
  forEach(visit: (name: string, value: string) => void): void
}

export interface UwsResponse {
  writeStatus(status: string): void
  writeHeader(name: string, value: string): void
  /** Returns false if the network takes less than was written and the rest is buffered. */
  write(chunk: string | Uint8Array): boolean
  end(body: string | Uint8Array, close: boolean): void
  end(): void
  endWithoutBody(reportedBytes: number, close: boolean): void
  endWithoutBody(): void
  /** Returns whether everything was taken, and whether the response is complete. */
  tryEnd(chunk: Uint8Array, totalBytes: number): readonly [boolean, boolean]
  getWriteOffset(): number
  onWritable(handler: (offset: number) => boolean): void
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): void
  onAborted(handler: () => void): void
  pause(): void
  resume(): void
  close(): void
  cork(work: () => void): void
  /** Must not be called after an abort. */
  getRemoteAddressAsText(): ArrayBuffer
  upgrade<Data>(
    data: Data,
    key: string,
    protocol: string,
    extensions: string,
    context: UwsHandle,
  ): void
}

export interface UwsWebSocket<Data> {
  getUserData(): Data
  /** Returns 1 for sent, 0 for buffered, 2 for dropped. */
  send(message: Uint8Array, isBinary: boolean, compress: boolean): number
  getBufferedAmount(): number
  cork(work: () => void): void
  ping(): number
  end(code: number, reason: string): void
}

export interface UwsBehavior<Data> {
  readonly maxPayloadLength: number
  readonly maxBackpressure: number
  readonly compression: number
  readonly idleTimeout: number
  readonly sendPingsAutomatically: boolean
  upgrade?(res: UwsResponse, req: UwsRequest, context: UwsHandle): void
  open(ws: UwsWebSocket<Data>): void
  message(ws: UwsWebSocket<Data>, message: ArrayBuffer, isBinary: boolean): void
  drain(ws: UwsWebSocket<Data>): void
  ping(ws: UwsWebSocket<Data>): void
  pong(ws: UwsWebSocket<Data>): void
  close(ws: UwsWebSocket<Data>, code: number, message: ArrayBuffer): void
}
