/** One TCP connection: what of it is unanswered, and told when the client goes away. */
import type { Socket } from 'node:net'
import { limits } from '../../../proto/limits.ts'

/** Told once, and only while it is unanswered. */
type OnGone = () => void

export class Connection {
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

  static of(socket: Socket): Connection {
    const known = connections.get(socket)
    if (known) return known
    const connection = new Connection(socket)
    connections.set(socket, connection)
    return connection
  }

  get isAnswering(): boolean {
    return this.#unanswered.size > 0
  }

  /** False when more wait already than a client can have use for. */
  begin(onGone: OnGone): boolean {
    if (this.#unanswered.size >= limits.requestsUnanswered) return false
    this.#unanswered.add(onGone)
    return true
  }

  answered(onGone: OnGone): void {
    this.#unanswered.delete(onGone)
    if (this.#isLast && !this.isAnswering) this.#socket.destroySoon()
  }

  /** What follows cannot be read: the answers that are due are given, then it is closed. */
  endWhenAnswered(): void {
    this.#isLast = true
  }
}

const connections = new WeakMap<Socket, Connection>()
