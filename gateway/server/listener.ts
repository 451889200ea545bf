/** What an engine is given to serve with, and what it gives back. */
import type { HttpReply, HttpRequest, UpgradeReply } from './http.ts'

export interface ListenerOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Must not reject. */
  readonly handle: (request: HttpRequest) => Promise<HttpReply>
  /** Must not reject. */
  readonly upgrade: (request: HttpRequest) => Promise<UpgradeReply>
  /** Paths whose sockets take less than the protocol of browsers needs. */
  readonly bounds?: readonly SocketBound[]
}

/**
 * How much of a message that is still being put together is kept. What is larger ends the connection, so
 * one that is never finished fills no memory.
 */
export interface SocketBound {
  /** Whole, or up to its `*`, which is last. */
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
  /** Takes no more connections; those that stand stay. */
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
