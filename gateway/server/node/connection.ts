/**
 * One TCP connection: counts its unanswered requests and notifies them when the client disconnects.
 */
import type { Socket } from 'node:net'
import { serverLimits } from '../limits.ts'

/** Called at most once, and only while the request is unanswered. */
type OnGone = () => void

export class NodeConnection {
  readonly #socket: Socket
  readonly #unanswered = new Set<OnGone>()
  #isLast = false

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.once('close', () => {
      for (const onGone of this.#unanswered) onGone()
      this.#unanswered.clear()
    })
  }

  static of(socket: Socket): NodeConnection {
    const known = connections.get(socket)
    if (known) return known
    const connection = new NodeConnection(socket)
    connections.set(socket, connection)
    return connection
  }

  get isAnswering(): boolean {
    return this.#unanswered.size > 0
  }

  /** Returns false if too many requests are unanswered already. */
  begin(onGone: OnGone): boolean {
    if (this.#unanswered.size >= serverLimits.requestsUnanswered) return false
    this.#unanswered.add(onGone)
    return true
  }

  answered(onGone: OnGone): void {
    this.#unanswered.delete(onGone)
    if (this.#isLast && !this.isAnswering) this.#socket.destroySoon()
  }

  /**
   * Closes the connection after the pending answers, because the following bytes cannot be parsed.
   */
  endWhenAnswered(): void {
    this.#isLast = true
  }
}

const connections = new WeakMap<Socket, NodeConnection>()
