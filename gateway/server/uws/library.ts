/**
 * What is used of uWebSockets.js. Written down here because the package is optional: where it is not
 * installed, or the official one is, the sources must compile all the same.
 */

/** A pointer of the library's. */
export type Handle = NonNullable<unknown>

export interface Library {
  App(): UwsApp
  us_listen_socket_close(socket: Handle): void
  us_socket_local_port(socket: Handle): number
}

export interface UwsApp {
  ws<Data>(pattern: string, behavior: UwsBehavior<Data>): UwsApp
  any(pattern: string, handler: (res: UwsResponse, req: UwsRequest) => void): UwsApp
  get(pattern: string, handler: (res: UwsResponse, req: UwsRequest) => void): UwsApp
  listen(host: string, port: number, done: (socket: Handle | false) => void): UwsApp
}

export interface UwsRequest {
  getHeader(name: string): string
  getMethod(): string
  getUrl(): string
  /** Undefined where there is none. */
  getQuery(): string | undefined
  forEach(visit: (name: string, value: string) => void): void
}

export interface UwsResponse {
  writeStatus(status: string): void
  writeHeader(name: string, value: string): void
  /** False once more is buffered than the network takes. */
  write(chunk: string | Uint8Array): boolean
  end(body: string | Uint8Array, close: boolean): void
  end(): void
  endWithoutBody(reportedBytes: number, close: boolean): void
  endWithoutBody(): void
  /** Whether all was taken, and whether the response is over. */
  tryEnd(chunk: Uint8Array, totalBytes: number): readonly [boolean, boolean]
  getWriteOffset(): number
  onWritable(handler: (offset: number) => boolean): void
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): void
  onAborted(handler: () => void): void
  pause(): void
  resume(): void
  close(): void
  cork(work: () => void): void
  /** Not to be asked once it was aborted. */
  getRemoteAddressAsText(): ArrayBuffer
  upgrade<Data>(
    data: Data,
    key: string,
    protocol: string,
    extensions: string,
    context: Handle,
  ): void
}

export interface UwsWebSocket<Data> {
  getUserData(): Data
  /** 1 sent, 0 buffered, 2 dropped. */
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
  upgrade?(res: UwsResponse, req: UwsRequest, context: Handle): void
  open(ws: UwsWebSocket<Data>): void
  message(ws: UwsWebSocket<Data>, message: ArrayBuffer, isBinary: boolean): void
  drain(ws: UwsWebSocket<Data>): void
  ping(ws: UwsWebSocket<Data>): void
  pong(ws: UwsWebSocket<Data>): void
  close(ws: UwsWebSocket<Data>, code: number, message: ArrayBuffer): void
}
