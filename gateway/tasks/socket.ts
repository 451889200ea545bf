/** One client of `/ws`: the records of the tasks it follows, as text frames. */
import type { Logger } from 'pino'
import { limits } from '../../proto/limits.ts'
import type { TaskRecord } from '../../proto/task.ts'
import { ClientEnd } from '../client-end.ts'
import type { Closing } from '../closing.ts'
import type { ServerSocket, SocketHandler } from '../http.ts'
import type { StandingSocket } from '../standing-sockets.ts'
import type { TailReader, TaskTail } from './tail.ts'

const tooBig = 1009
const brokenLog = 1011
const cutOff: Closing = {
  code: 1013,
  reason: 'slow: the client does not keep up; connect again with since=<n>.',
}

export interface RecordSocketOptions {
  readonly log: Logger
  readonly nowMs: number
  /** One of the tasks it follows is over. */
  readonly onOver: (socket: RecordSocket, last: TaskRecord | undefined) => void
  /** Told once, whatever happened. */
  readonly onClosed: (socket: RecordSocket) => void
}

export class RecordSocket implements SocketHandler, StandingSocket, TailReader {
  /** Wall-clock ms of its beginning. */
  readonly sinceMs: number
  readonly #options: RecordSocketOptions
  readonly #client: ClientEnd
  readonly #tails = new Map<string, TaskTail>()
  /** All that it has ever followed. */
  readonly #begun = new Set<string>()
  /** Told before it opened. */
  #early: TaskRecord[] = []
  #waiting: (() => void)[] = []
  #closing: Closing | undefined
  #isCut = false
  #ticksSinceCut = 0

  constructor(options: RecordSocketOptions) {
    this.#options = options
    this.sinceMs = options.nowMs
    this.#client = new ClientEnd(() => {
      for (const tail of this.#tails.values()) tail.leave()
      this.#tails.clear()
      this.#wake()
      options.onClosed(this)
    })
  }

  get isClosed(): boolean {
    return this.#client.isClosed
  }

  /** False when that task is, or was, followed here. */
  begin(taskId: string): boolean {
    if (this.#begun.has(taskId)) return false
    this.#begun.add(taskId)
    return true
  }

  follow(tail: TaskTail): void {
    if (this.isClosed) tail.leave()
    else if (!tail.isOver) this.#tails.set(tail.taskId, tail)
  }

  tailOf(taskId: string): TaskTail | undefined {
    return this.#tails.get(taskId)
  }

  opened(socket: ServerSocket): void {
    if (!this.#client.opened(socket)) return
    for (const record of this.#early.splice(0)) this.tell(record)
    this.#wake()
  }

  /** There is nothing to say here, so whatever is said is a sign of life. */
  message(data: Uint8Array): void {
    this.alive()
    if (data.byteLength > limits.feedMessageBytes) {
      this.#leave({ code: tooBig, reason: 'Nothing of that size is for here.' })
    }
  }

  drained(): void {
    this.#client.alive()
    if (this.#isCut && this.#client.socket?.bufferedBytes === 0) this.#leave(cutOff)
    else this.#wake()
  }

  alive(): void {
    this.#client.alive()
  }

  closed(): void {
    this.#client.closed()
  }

  tick(elapsedMs: number): void {
    this.#client.tick(elapsedMs)
    if (this.#isCut && ++this.#ticksSinceCut > 1) this.#leave(cutOff)
  }

  tell(record: TaskRecord): void {
    const { socket } = this.#client
    if (this.#isCut) return
    if (!socket) return void this.#early.push(record)
    if (socket.bufferedBytes > limits.feedBufferedBytes) return this.#cutOff()
    socket.send(Buffer.from(JSON.stringify(record)), false)
  }

  async room(): Promise<void> {
    while (!this.isClosed && !this.#hasRoom()) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  over(tail: TaskTail, last: TaskRecord | undefined): void {
    this.#tails.delete(tail.taskId)
    this.#options.onOver(this, last)
    if (this.#closing && this.#tails.size === 0) this.#leave(this.#closing)
  }

  failed(error: unknown): void {
    this.#options.log.warn({ err: error }, 'the steps of a task cannot be read')
    const reason = 'The steps cannot be read at the moment; connect again with since=<n>.'
    this.#leave({ code: brokenLog, reason })
  }

  /** As soon as the tasks it follows have said their last. */
  end(code: number, reason: string): void {
    this.#closing ??= { code, reason }
    if (this.#tails.size === 0) return this.#leave(this.#closing)
    for (const tail of this.#tails.values()) tail.expectEnd()
  }

  /**
   * Nothing more is sent. It is closed when it has read what was, or the close frame behind that
   * would be lost: the server library gives an ended socket a few seconds at most.
   */
  #cutOff(): void {
    this.#isCut = true
    for (const tail of this.#tails.values()) tail.leave()
    this.#tails.clear()
  }

  #leave({ code, reason }: Closing): void {
    this.#client.end(code, reason)
  }

  #hasRoom(): boolean {
    const { socket } = this.#client
    return socket !== undefined && socket.bufferedBytes <= limits.feedBufferedBytes / 2
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}
