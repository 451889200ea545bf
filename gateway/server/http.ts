/** Requests and replies as plain data, independent of the server library. */
import type { Readable } from 'node:stream'

export interface HttpRequest {
  /** Upper case. */
  readonly method: string
  /** Still percent-encoded; leading slashes collapsed, no trailing slash, no query. */
  readonly path: string
  readonly query: URLSearchParams
  /** Names are in lower case; values of a repeated header are joined with a comma. */
  readonly headers: ReadonlyMap<string, string>
  /**
   * The address of the other side of the connection, which may be a proxy; empty once the
   * connection is closed.
   */
  readonly remoteAddress: string
  /** Aborts if the client disconnects before it was answered. */
  readonly gone: AbortSignal
  /**
   * The whole body. Throws `too_large` beyond the limit; the default is the limit of a JSON body.
   */
  body(limitBytes?: number): Promise<Uint8Array>
  /**
   * The body as a stream; a slow reader slows the client down. Throws `too_large` if the announced
   * length exceeds the limit, and the stream fails with it if more arrives. After the reader
   * destroys the stream, the rest of the body is thrown away.
   */
  stream(limitBytes: number): Readable
}

export interface HttpReply {
  readonly status: number
  /** In place of the status's own words; printable ASCII. */
  readonly reason?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | StreamedBody
}

/**
 * Answers contain texts of clients and of pages; browsers must not interpret them as a page or a
 * script.
 */
export const onEveryAnswer = { 'x-content-type-options': 'nosniff' } as const

/** A body that is sent while it is read, and never held in memory as a whole. */
export interface StreamedBody {
  readonly stream: Readable
  /** Absent if the length is not known yet, for example of a stream of future events. */
  readonly bytes?: number
}

/** A client's WebSocket, as seen by its handler. */
export interface ServerSocket {
  /**
   * May keep `data` until it is written, so the caller must not change it. Returns false if the
   * buffer is full and the message was dropped.
   */
  send(data: Uint8Array, isBinary: boolean): boolean
  readonly bufferedBytes: number
  /** Everything that `work` sends is written to the network together. */
  cork(work: () => void): void
  ping(): void
  /** Ends with a close frame; the reason is cut to what fits in one. */
  end(code: number, reason: string): void
}

export interface SocketHandler {
  opened(socket: ServerSocket): void
  /** The handler may keep `data`. */
  message(data: Uint8Array, isBinary: boolean): void
  /** Called when some of the buffered data has been written. */
  drained(): void
  /** The client answered a ping, or sent one. */
  alive(): void
  /** Also called when the client left before the socket opened. */
  closed(code: number, reason: string): void
}

/** The answer to an upgrade request: a socket, or a plain reply that refuses it. */
export type UpgradeReply =
  | { readonly accepted: true; readonly handler: SocketHandler }
  | { readonly accepted: false; readonly reply: HttpReply }

export function normalisePath(path: string): string {
  let start = 0
  while (path[start + 1] === '/') start++
  let end = path.length
  while (end > start + 1 && path[end - 1] === '/') end--
  return path.slice(start, end)
}

const statusTexts: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  206: 'Partial Content',
  304: 'Not Modified',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  422: 'Unprocessable Content',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  507: 'Insufficient Storage',
}

/** Answers with these statuses have no body and no Content-Length. */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 304
}

export function statusText({ status, reason }: Pick<HttpReply, 'status' | 'reason'>): string {
  return reason ?? statusTexts[status] ?? 'Unknown'
}
