/** The options of an engine, and its interface. */
import type { HttpReply, HttpRequest, UpgradeReply } from './http.ts'

export interface ListenerOptions {
  readonly host: string
  /** 0 chooses a free port. */
  readonly port: number
  /** Must not reject. */
  readonly handle: (request: HttpRequest) => Promise<HttpReply>
  /** Must not reject. */
  readonly upgrade: (request: HttpRequest) => Promise<UpgradeReply>
  /** Paths whose sockets take smaller messages than CDP needs. */
  readonly bounds?: readonly SocketBound[]
}

/**
 * The largest message accepted on a path. A larger one ends the connection while it is still being
 * assembled, so a message that is never finished cannot fill memory.
 */
export interface SocketBound {
  /** A whole path, or a prefix that ends with `*`. */
  readonly path: `/${string}`
  readonly messageBytes: number
}

export function boundOf(
  bounds: readonly SocketBound[] | undefined,
  path: string,
): SocketBound | undefined {
  return bounds?.find((bound) =>
    bound.path.endsWith('*') ? path.startsWith(bound.path.slice(0, -1)) : path === bound.path,
  )
}

export interface Listener {
  readonly port: number
  /** Stops accepting connections; open ones stay open. */
  stop(): void
}

export class PortTaken extends Error {
  constructor(host: string, port: number, cause?: unknown) {
    super(
      `${host}:${port} cannot be listened on: the port is in use, or the address is not ours. Set PORT or HOST.`,
      { cause },
    )
    this.name = 'PortTaken'
  }
}
